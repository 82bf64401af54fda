"""What is returned is what is resident, so it cannot be changed in place."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from belief_memory import Belief, BeliefMemory
from belief_memory.model.frozen import FrozenDict, FrozenList

TOLD = {"tags": ["a", {"deep": [1, 2]}], "n": None}


@pytest.fixture(params=["memory", "folder", "reopened"])
def belief(request: pytest.FixtureRequest, tmp_path: Path) -> Belief:
    uri = "memory://metadata" if request.param == "memory" else str(tmp_path)
    with BeliefMemory.open(uri) as memory:
        alice = memory.for_user("alice")
        alice.remember("redis", "The cache.", metadata=TOLD)
        if request.param != "reopened":
            return alice.recall("redis").relevant[0]
    with BeliefMemory.open(uri) as memory:
        return memory.for_user("alice").recall("redis").relevant[0]


def test_metadata_cannot_be_changed_in_place(belief: Belief) -> None:
    held: Any = belief.metadata
    for change in (
        lambda: held.update(x=1),
        lambda: held.__setitem__("x", 1),
        lambda: held.pop("n"),
        lambda: held["tags"].append("b"),
        lambda: held["tags"][1]["deep"].clear(),
        lambda: held["tags"][1].__delitem__("deep"),
        lambda: held.__ior__({"x": 1}),
    ):
        with pytest.raises(TypeError, match="changed in place"):
            change()
    assert belief.metadata == TOLD


def test_it_equals_and_serialises_like_plain_json(belief: Belief) -> None:
    assert json.loads(json.dumps(belief.metadata)) == TOLD
    assert json.loads(belief.model_dump_json())["metadata"] == TOLD
    assert Belief.model_validate(belief.to_record()).to_record() == belief.to_record()
    assert {**belief.metadata, "x": 1} == {**TOLD, "x": 1}


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), lambda value: value.copy()],
    ids=["deepcopy", "pickle", "copy"],
)
def test_a_copy_can_be_changed(belief: Belief, copied: Any) -> None:
    mine = copied(belief.metadata)
    mine["x"] = 1
    assert mine == {**TOLD, "x": 1}
    assert belief.metadata == TOLD
    if copied is copy.deepcopy:
        mine["tags"][1]["deep"].append(3)


def test_a_belief_without_metadata_has_none_to_change() -> None:
    with BeliefMemory.open("memory://") as memory:
        alice = memory.for_user("alice")
        alice.remember("redis", "The cache.")
        one: Any = alice.beliefs()[0].metadata
        assert one == {}
        with pytest.raises(TypeError):
            one["x"] = 1


def test_nothing_that_changes_json_in_place_was_overlooked() -> None:
    for kind, plain in ((FrozenDict, dict), (FrozenList, list)):
        value = kind([("a", 1)]) if plain is dict else kind([3, 1])
        for name in set(dir(plain)) - {"__init__", "__class__", "__setattr__", "__delattr__"}:
            before = copy.deepcopy(value)
            for given in ((), ("a",), (0,), ("a", 2), (0, 2), ({"b": 2},), ([2],)):
                try:
                    getattr(value, name)(*given)
                except (TypeError, KeyError, IndexError, ValueError, AttributeError):
                    continue
            assert value == before, name


def test_beliefs_can_be_kept_in_sets(belief: Belief) -> None:
    changed = belief.but(content="Something else.")
    assert len({belief, copy.deepcopy(belief), changed}) == 2
