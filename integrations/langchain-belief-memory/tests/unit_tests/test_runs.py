"""What is kept about runs that go on."""

from __future__ import annotations

from langchain_belief_memory.runs import PerRun


def test_each_run_has_its_own_values() -> None:
    kept: PerRun[str] = PerRun()
    one, two = object(), object()
    kept.put(one, "a")
    kept.put(two, "b")
    kept.put(two, "c", "key")
    assert (kept.get(one), kept.get(two), kept.get(two, "key")) == ("a", "b", "c")
    assert kept.get(one, "key") is None


def test_outside_of_a_run_nothing_is_kept() -> None:
    kept: PerRun[str] = PerRun()
    kept.put(None, "a")
    assert kept.get(None) is None
    assert len(kept) == 0


def test_the_oldest_go_when_there_are_too_many() -> None:
    kept: PerRun[int] = PerRun(most=2)
    runs = [object() for _ in range(4)]
    for number, run in enumerate(runs):
        kept.put(run, number)
    assert [kept.get(run) for run in runs] == [None, None, 2, 3]


def test_a_run_is_never_taken_for_one_that_is_over() -> None:
    kept: PerRun[int] = PerRun(most=1000)
    for number in range(1000):
        run = object()  # freed at once, were it not kept: the next could get its id
        assert kept.get(run) is None
        kept.put(run, number)
