"""Three machines, one bucket, one user: they write and read the same memory at the same time.

By default the bucket is served by moto on loopback and the machines are processes; nothing
leaves this computer. `--model provider:name` takes a real model.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import logging
import multiprocessing
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console
from rich.table import Table

from belief_memory import BeliefMemory, StoreBusy, UserMemory

USER = "ada"
ROUNDS = 3
QUESTION = "Where is the next stop?"
# How wrong each machine's clock is, in seconds.
MACHINES = {"phone": 0, "laptop": 0, "car": -300}
console = Console(highlight=False, width=110)


@dataclass
class Log:
    """What one machine did."""

    machine: str
    milliseconds: list[float] = field(default_factory=list)
    acknowledged: int = 0
    refused: int = 0


@contextlib.contextmanager
def bucket_on_loopback() -> Iterator[tuple[str, dict[str, str]]]:
    """An S3 server in this process, with an empty bucket; gives the URI and the options.

    With a real bucket this is all there is: the URI, and options where LanceDB does not find
    the credentials by itself (environment, instance role).
    """
    import boto3  # type: ignore[import-untyped]
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {
            "aws_access_key_id": "test",
            "aws_secret_access_key": "test",
            "aws_region": "us-east-1",
            "aws_endpoint": f"http://{host}:{port}",
            "allow_http": "true",
        }
        client = boto3.client(
            "s3",
            endpoint_url=options["aws_endpoint"],
            region_name=options["aws_region"],
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        client.create_bucket(Bucket="memories")
        yield "s3://memories/beliefs", options
    finally:
        server.stop()


def clock_of(machine: str) -> Callable[[], datetime]:
    wrong_by = timedelta(seconds=MACHINES[machine])
    return lambda: datetime.now(UTC) + wrong_by


def live(machine: str, uri: str, options: dict[str, str], together: Any, logs: Any) -> None:
    """One machine: what it notes for itself, and what all of them talk about."""
    log = Log(machine)

    def write(user: UserMemory, name: str, content: str) -> None:
        started = time.perf_counter()
        while True:
            try:
                user.remember(name, content)
                break
            except StoreBusy:  # rivals kept winning; nothing was written, so say it again
                log.refused += 1
        log.milliseconds.append((time.perf_counter() - started) * 1000)
        log.acknowledged += 1

    with BeliefMemory.open(uri, storage_options=options, clock=clock_of(machine)) as memory:
        user = memory.for_user(USER)
        together.wait()
        for n in range(ROUNDS):
            write(user, f"{machine}_note_{n}", f"Note {n}, taken on the {machine}.")
            write(user, "next_stop", f"Stop {n}, says the {machine}.")
    logs.put(log)


def all_at_once(uri: str, options: dict[str, str]) -> list[Log]:
    # spawn: an open memory does not survive fork, and machines share no memory anyway.
    context = multiprocessing.get_context("spawn")
    together, logs = context.Barrier(len(MACHINES)), context.Queue()
    processes = [
        context.Process(target=live, args=(machine, uri, options, together, logs))
        for machine in MACHINES
    ]
    for process in processes:
        process.start()
    done = [logs.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    return sorted(done, key=lambda log: list(MACHINES).index(log.machine))


def check(user: UserMemory, logs: list[Log]) -> None:
    table = Table("machine", "clock", "acknowledged", "refused, said again", "p50 of a write")
    for log in logs:
        p50 = f"{statistics.median(log.milliseconds):.0f} ms"
        wrong = f"{MACHINES[log.machine]:+d} s"
        table.add_row(log.machine, wrong, f"{log.acknowledged}", f"{log.refused}", p50)
    console.print(table)
    notes = [belief for belief in user.beliefs() if "_note_" in belief.canonical_name]
    stops = [version for version in user.history("next_stop") if version.retired_at is None]
    current = user.beliefs(slot="next_stop")
    stops.sort(key=lambda version: version.valid_from)
    gaps = sum(a.valid_to != b.valid_from for a, b in itertools.pairwise(stops))
    console.print(f"notes kept: {len(notes)} of {len(MACHINES) * ROUNDS}")
    console.print(f"stops kept: {len(stops)} of {len(MACHINES) * ROUNDS}, gaps between: {gaps}")
    console.print(f"current stops: {len(current)}, conflicts: {len(user.conflicts())}")


def last_word(uri: str, options: dict[str, str], model: str | None) -> None:
    """What one machine says, the others know; also where its clock is behind."""
    with contextlib.ExitStack() as stack:
        on: dict[str, UserMemory] = {}
        for machine in MACHINES:
            clock = clock_of(machine)
            memory = BeliefMemory.open(uri, storage_options=options, clock=clock)
            on[machine] = stack.enter_context(memory).for_user(USER)
        console.print(f"\n[bold]{QUESTION}[/bold]")
        for machine in ("laptop", "car"):
            on[machine].remember("next_stop", f"The mill, says the {machine}.")
            for other in on:
                seen = on[other].recall(QUESTION).relevant[0].content
                console.print(f"   the {machine} has spoken; on the {other}: {seen}")
        console.print(f"   answer: {answer(on['phone'], model)}", style="cyan", markup=False)


def answer(user: UserMemory, model: str | None) -> str:
    told = user.recall(QUESTION).render()
    if model is None:  # a scripted model: it repeats the beliefs that it was given
        return " ".join(re.findall(r"<\w+ about=[^>]*>([^<]+)", told))
    from langchain.chat_models import init_chat_model

    return init_chat_model(model).invoke([("system", told), ("human", QUESTION)]).text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    options = parser.parse_args()
    with bucket_on_loopback() as (uri, storage):
        started = time.perf_counter()
        logs = all_at_once(uri, storage)
        console.print(f"three machines on {uri}, {time.perf_counter() - started:.1f} s\n")
        with BeliefMemory.open(uri, storage_options=storage) as memory:
            check(memory.for_user(USER), logs)
        last_word(uri, storage, options.model)


if __name__ == "__main__":
    main()
