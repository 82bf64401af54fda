"""Six users at once on a service with one memory (see `service.py`).

By default plays their requests against the service, in this process and offline. `--serve`
listens; `--model provider:name` answers with a real model.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
import time
from contextlib import AsyncExitStack
from hashlib import sha256
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console
from service import create_app

from belief_memory import HandleClosed

PEOPLE = ("ama", "bela", "chidi", "dipa", "eero", "farah")
TOPICS = ("bicycle", "dentist", "garden", "landlord", "piano", "printer", "tent", "violin")
RIVALS = 10
console = Console(highlight=False, width=110)


class ScriptedModel(BaseChatModel):
    """Stands in for a real model: it repeats the beliefs that it was given, and no others."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        known = re.findall(r"<\w+ about=[^>]*>([^<]+)", messages[0].text)
        answer = AIMessage(" ".join(known) or "I know nothing about that.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


def token(name: str) -> str:
    return f"token of {name}"


class Client:
    """One person's client."""

    def __init__(self, app: FastAPI, name: str) -> None:
        self.name = name
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app),
            base_url="http://service",
            headers={"Authorization": f"Bearer {token(name)}"},
        )

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        reply = await self.http.request(method, path, json=body)
        reply.raise_for_status()
        return reply.json()


async def play(app: FastAPI) -> None:
    async with AsyncExitStack() as stack:
        clients = [Client(app, name) for name in PEOPLE]
        for client in clients:
            await stack.enter_async_context(client.http)
        await everybody_at_once(clients)
        await rivals(clients[0])
        await strangers(app, clients)
        await goodbye(clients)
        paths = (await clients[0].call("GET", "/openapi.json"))["paths"]
        console.print(f"\n[bold]OpenAPI[/bold] describes {', '.join(paths)}", markup=True)


async def everybody_at_once(clients: list[Client]) -> None:
    """The same names for everybody, and other contents."""
    started = time.perf_counter()
    await asyncio.gather(
        *(
            client.call(
                "POST", "/beliefs", {"name": topic, "content": f"The {topic} of {client.name}."}
            )
            for topic in TOPICS
            for client in clients
        )
    )
    written = time.perf_counter() - started
    asked = [(client, topic) for topic in TOPICS for client in clients]
    recalls = await asyncio.gather(
        *(client.call("POST", "/recall", {"text": f"my {topic}"}) for client, topic in asked)
    )
    spent = time.perf_counter() - started - written
    foreign = missed = 0
    for (client, topic), reply in zip(asked, recalls, strict=True):
        contents = [belief["content"] for belief in reply["relevant"]]
        missed += f"The {topic} of {client.name}." not in contents
        foreign += sum(not content.endswith(f"of {client.name}.") for content in contents)
    console.print(f"[bold]{len(clients)} users at once[/bold], the same names for everybody")
    console.print(f"   {len(asked)} beliefs written in {written:.2f} s")
    console.print(f"   {len(asked)} recalls answered in {spent:.2f} s")
    console.print(f"   foreign beliefs recalled: {foreign}, own ones missed: {missed}")
    question = {"text": "Whose piano is this?"}
    answers = await asyncio.gather(*(one.call("POST", "/answer", question) for one in clients))
    for client, reply in zip(clients, answers, strict=True):
        console.print(f"   {client.name} asks whose piano this is: {reply['answer']}")


async def rivals(client: Client) -> None:
    """One user on ten devices, which all say something else about one thing."""
    bodies = [{"name": "desk", "content": f"The desk is in room {n}."} for n in range(RIVALS)]
    replies = await asyncio.gather(*(client.call("POST", "/beliefs", body) for body in bodies))
    current = [one for one in await client.call("GET", "/beliefs") if one["name"] == "desk"]
    kept = await client.call("GET", "/beliefs/desk/history")
    console.print(f"\n[bold]{client.name} on {RIVALS} devices at once[/bold], about one thing")
    console.print(f"   acknowledged: {len(replies)}, in the history: {len(kept)}", end=", ")
    console.print(f"current: {len(current)}")


async def strangers(app: FastAPI, clients: list[Client]) -> None:
    console.print("\n[bold]Who you are[/bold] comes from the token")
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://service"
    ) as nobody:
        reply = await nobody.get("/beliefs")
        console.print(f"   no token: {reply.status_code}")
        reply = await nobody.get("/beliefs", headers={"Authorization": "Bearer guess"})
        console.print(f"   a made-up token: {reply.status_code}")
    claim = {"name": "bank", "content": "Mine.", "user_id": "ama"}
    reply = await clients[1].http.post("/beliefs", json=claim)
    console.print(f"   a user_id in the body: {reply.status_code}")
    reply = await clients[1].http.delete("/beliefs/desk")
    console.print(f"   bela erases a desk, which only ama has: {reply.status_code}")


async def goodbye(clients: list[Client]) -> None:
    """One user leaves while the others go on."""
    receipt, *others = await asyncio.gather(
        clients[0].call("DELETE", "/me"),
        *(client.call("POST", "/recall", {"text": "my tent"}) for client in clients[1:]),
    )
    left = await clients[0].call("GET", "/beliefs")
    console.print(f"\n[bold]{clients[0].name} leaves[/bold] while the others go on")
    console.print(f"   erased: {receipt['beliefs']} beliefs, verified: {receipt['verified']}")
    console.print(f"   left of ama: {len(left)}", end=", ")
    console.print(f"others served: {sum(len(one['relevant']) == 1 for one in others)}")


async def in_process(app: FastAPI) -> None:
    async with app.router.lifespan_context(app):
        await play(app)
    try:
        await app.state.memory.for_user("bela").beliefs()
    except HandleClosed:
        console.print("\nthe service is down, and the memory closed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a real model, for example openai:gpt-5-mini")
    parser.add_argument(
        "--serve", action="store_true", help="listen on 127.0.0.1, memory in ./beliefs"
    )
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    model = init_chat_model(options.model) if options.model else ScriptedModel()
    tokens = {sha256(token(name).encode()).hexdigest(): name for name in PEOPLE}
    if options.serve:
        app = create_app("./beliefs", model, tokens)
        where = f"http://127.0.0.1:{options.port}"
        console.print(f"curl -H 'Authorization: Bearer {token('ama')}' {where}/beliefs")
        uvicorn.run(app, host="127.0.0.1", port=options.port, timeout_graceful_shutdown=10)
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(in_process(create_app(folder, model, tokens)))


if __name__ == "__main__":
    main()
