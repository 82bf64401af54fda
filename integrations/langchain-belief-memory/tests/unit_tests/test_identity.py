"""Whose memory a run is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from belief_memory import InvalidQuery
from langgraph.runtime import Runtime, ServerInfo

from langchain_belief_memory.identity import Identity


@dataclass
class User:
    identity: str


def runtime(context: Any = None, user: str | None = None) -> Any:
    served = None if user is None else ServerInfo("assistant", "graph", User(user))
    return Runtime(context=context, server_info=served)


def test_whom_a_server_has_authenticated_goes_before_what_a_client_writes() -> None:
    assert Identity().of(runtime({"user_id": "mallory"}, user="alice")).user_id == "alice"


def test_what_the_developer_fixed_goes_before_everything() -> None:
    run = runtime({"user_id": "mallory"}, user="alice")
    assert Identity(user_id="team").of(run).user_id == "team"
    assert Identity(user_id=lambda run: run.context["user_id"]).of(run).user_id == "mallory"


def test_a_config_is_a_run_too() -> None:
    config = {"configurable": {"user_id": "alice", "scopes": ("project:a",)}}
    who = Identity(agent_id="critic").of(config)
    assert (who.user_id, who.scopes, who.agent_id) == ("alice", ("project:a",), "critic")


@pytest.mark.parametrize("run", [None, {}, {"configurable": None}, runtime(), runtime(context=7)])
def test_a_run_that_says_nothing_is_an_error_that_names_the_ways_to_say_it(run) -> None:
    with pytest.raises(InvalidQuery, match=r"context=.*configurable"):
        Identity().of(run)


def test_a_string_is_no_list_of_scopes() -> None:
    with pytest.raises(InvalidQuery, match="scopes"):
        Identity("alice", "project:a").of(None)
