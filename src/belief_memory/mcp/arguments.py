"""What the tools take. The schemas that models are shown are made from these.

Nobody's identity is among them: whose memory it is, and within which scopes, was said when
the server was started, and an argument that is not listed is an error.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from belief_memory.model.belief import BeliefType, Cardinality


def _listed(value: object) -> object:
    # Some clients send a list as the JSON text of one.
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


About = Annotated[
    str,
    Field(
        description="What it is about: a short name like redis_cache; 'user' for the user. "
        "Or the id of a belief that an earlier answer gave."
    ),
]
Attribute = Annotated[
    str | None,
    Field(description="Which aspect of it, for example residence, job, version; if it has one."),
]
Statement = Annotated[str, Field(description="The fact itself, as one short sentence.")]
Why = Annotated[str, Field(description="How this should shape future answers, as an instruction.")]
Aliases = Annotated[
    list[str],
    BeforeValidator(_listed),
    Field(description="Other names people use for it when they write. Recall goes by names."),
]
Kinds = Annotated[
    list[BeliefType] | None,
    BeforeValidator(_listed),
    Field(description="Only beliefs of these kinds."),
]
Limit = Annotated[int, Field(ge=1, le=200, description="At most this many.")]

_INSTANT = "an ISO 8601 date, or a date and time with its offset from UTC"


def _instant(meaning: str) -> Any:
    return Field(default=None, description=f"{meaning}: {_INSTANT}.")


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _not_given(cls, values: Any) -> Any:
        # Models fill in what they leave out with null or an empty string.
        if not isinstance(values, dict):
            return values
        fields = cls.model_fields
        return {
            name: value
            for name, value in values.items()
            if value not in (None, "") or name not in fields or fields[name].is_required()
        }


class Recall(Arguments):
    """For ``recall``."""

    query: Annotated[
        str, Field(description="The user's message, or a sentence that names what you ask about.")
    ]
    previous: Annotated[
        str | None,
        Field(description="The user's message before that one, for a query like 'and how is it?'."),
    ] = None
    as_of: str | None = _instant("Answer as things stood, and were known, at this instant")


class Remember(Arguments):
    """For ``remember``."""

    about: Annotated[
        str,
        Field(description="What it is about: a short name like redis_cache; 'user' for the user."),
    ]
    statement: Statement
    attribute: Attribute = None
    why_it_matters: Why = ""
    aliases: Aliases = []
    kind: Annotated[
        BeliefType,
        Field(description="A preference or instruction is kept in mind in every answer."),
    ] = "fact"
    cardinality: Annotated[
        Cardinality | None,
        Field(description="'many' where several are true at once, such as the user's children."),
    ] = None
    valid_from: str | None = _instant("When it began to be true, if not now")
    valid_to: str | None = _instant("When it stopped being true, if it has an end")


class Correct(Arguments):
    """For ``correct``."""

    about: About
    statement: Annotated[str, Field(description="What is true instead, as one short sentence.")]
    attribute: Attribute = None
    why_it_matters: Why = ""
    aliases: Aliases = []
    valid_from: str | None = _instant(
        "Start of the interval to overwrite, if not that of the wrong statement"
    )
    valid_to: str | None = _instant("End of that interval")


class Retract(Arguments):
    """For ``retract``."""

    about: About
    attribute: Attribute = None
    valid_from: str | None = _instant("When it stopped being true, if not now")
    never_true: Annotated[
        bool, Field(description="It never was true, as opposed to: it is over.")
    ] = False


class History(Arguments):
    """For ``history``."""

    about: About
    attribute: Attribute = None
    limit: Limit = 50


class Beliefs(Arguments):
    """For ``beliefs``."""

    about: Annotated[
        str | None, Field(description="Only what is held under this name; default: everything.")
    ] = None
    attribute: Attribute = None
    kinds: Kinds = None
    valid_at: str | None = _instant("What was true at this instant")
    known_at: str | None = _instant("As it was known at this instant")
    limit: Limit = 50


class Search(Arguments):
    """For ``search``."""

    text: Annotated[
        str, Field(description="Words that a name, a statement or a directive has to contain.")
    ]
    kinds: Kinds = None
    limit: Limit = 20


class Forget(Arguments):
    """For ``forget``."""

    about: About
    attribute: Attribute = None
