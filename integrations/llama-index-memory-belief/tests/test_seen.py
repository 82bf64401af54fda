"""However a session is shown and flushed, each statement is learned from once, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from llama_index.memory.belief.seen import Seen

Step = tuple[str, int]

steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["user", "assistant"]), st.integers(0, 2)),
        st.tuples(st.just("show"), st.just(0)),
        st.tuples(st.just("flush"), st.integers(1, 4)),
    ),
    max_size=40,
)


@given(steps)
def test_each_message_is_learned_from_once_and_in_order(taken: list[Step]) -> None:
    seen = Seen("s")
    queue = [ChatMessage(role="user", content="begin")]
    put = ["begin"]
    learned = [one.text for one in seen.active(queue)]
    ids: list[str | None] = []
    for kind, number in [*taken, ("show", 0)]:
        if kind == "show":
            found = seen.active(queue)
        elif kind == "flush":
            found, queue = seen.flushed(queue[:number]), queue[number:]
        else:
            found = []
            queue.append(ChatMessage(role=kind, content=f"{kind} says {number}"))
            put.append(f"{kind} says {number}")
        learned += [one.text for one in found]
        ids += [one.id for one in found]
    assert learned == put
    assert ids == [f"s-{number}" for number in range(2, len(put) + 1)]


@given(st.lists(st.sampled_from(["user", "assistant"]), min_size=1, max_size=12))
def test_of_a_session_met_in_the_middle_the_rest_is_learned_when_it_leaves(
    roles: list[str],
) -> None:
    seen = Seen("s")
    queue = [ChatMessage(role=role, content=f"{n}") for n, role in enumerate(roles)]
    first = [one.text for one in seen.active(queue)]
    later = [one.text for one in seen.flushed(queue)]
    assert sorted(first + later, key=int) == [f"{n}" for n in range(len(roles))]
    last = "".join(role[0] for role in roles).rfind("u")
    start = len(roles) if last < 0 else last - (last > 0 and roles[last - 1] == "assistant")
    assert first == [f"{n}" for n in range(start, len(roles))]
