# Made from engine/recall.py by scripts/sync_facade.py; change it there.
"""Recall: the verb that runs before inference. No model, no network, nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from belief_memory.model.belief import BeliefType
from belief_memory.model.context import Budget, Context, Route
from belief_memory.model.time import Instant
from belief_memory.sync.learn import LearnVerbs


class RecallVerb(LearnVerbs):
    """Recall by identity, precision first."""

    def recall(
        self,
        query: str,
        *,
        scopes: Sequence[str] | None = None,
        budget: Budget | None = None,
        types: Iterable[BeliefType] | None = None,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        as_of: Instant | None = None,
        routes: Iterable[Route] | None = None,
        previous: str | None = None,
    ) -> Context:
        """The beliefs that belong before the model for this query: the right ones or none.

        A belief is relevant when the query names it, by canonical name or alias; pinned
        beliefs, pinned open questions and the persona of the active scopes always come.

        Args:
            query: what the user said.
            scopes: active scopes; default: the handle's own (``user:universal`` always is).
            budget: how much may come; default: :class:`Budget`'s defaults.
            types: only these types.
            valid_at: about what was true at this instant; default: now.
            known_at: as the ledger knew it at this instant; default: now.
            as_of: sets both instants.
            routes: only these routes; default: all but ``related``, which is what is alike
                to the query without being named, and needs an embedder, and ``evidence``,
                which is what was said about it, and needs episodes.
            previous: the user text of one turn before, whose names are carried when the
                query itself names nothing and points back with a pronoun.

        Raises:
            InvalidQuery: a naive instant, an unknown type or route, a malformed scope,
                ``related`` without an embedder, ``evidence`` without episodes.
        """
        return self._engine.drive(
            self._async.recall(
                query,
                scopes=scopes,
                budget=budget,
                types=types,
                valid_at=valid_at,
                known_at=known_at,
                as_of=as_of,
                routes=routes,
                previous=previous,
            )
        )
