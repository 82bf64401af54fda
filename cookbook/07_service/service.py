"""A memory for many users behind HTTP: who you are comes from your token and from nowhere else.

This is the part to deploy; `main.py` plays with it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ConfigDict, Field

from belief_memory import (
    AsyncBeliefMemory,
    AsyncUserMemory,
    Belief,
    BeliefNotFound,
    InvalidBelief,
    InvalidQuery,
    StoreBusy,
)

bearer = HTTPBearer(auto_error=False)


class Body(BaseModel):
    """What a client may send. An unknown field, such as a user's id, is an error."""

    model_config = ConfigDict(extra="forbid")


class Assertion(Body):
    name: str = Field(examples=["bicycle"])
    content: str = Field(examples=["A blue Koga from 2019."])
    attribute: str | None = None
    why_it_matters: str = ""
    aliases: list[str] = []
    valid_from: datetime | None = None


class Question(Body):
    text: str = Field(examples=["Is my bicycle insured?"])


class Known(BaseModel):
    name: str
    attribute: str | None
    content: str
    valid_from: datetime
    valid_to: datetime | None

    @classmethod
    def of(cls, belief: Belief) -> Known:
        return cls(
            name=belief.canonical_name,
            attribute=belief.attribute,
            content=belief.content,
            valid_from=belief.valid_from,
            valid_to=belief.valid_to,
        )


class Remembered(BaseModel):
    action: str
    belief: Known | None


class Recalled(BaseModel):
    relevant: list[Known]
    rendered: str = Field(description="what to put before a model")


class Answered(BaseModel):
    answer: str
    from_beliefs: list[Known]


class Forgotten(BaseModel):
    beliefs: int
    versions: int
    verified: bool = Field(description="whether the storage can prove that nothing is left")


async def current_user(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> AsyncUserMemory:
    """The memory of whoever the token belongs to."""
    digest = sha256(given.credentials.encode()).hexdigest() if given else ""
    user_id = request.app.state.tokens.get(digest)
    if user_id is None:
        raise HTTPException(401, "who are you?", headers={"WWW-Authenticate": "Bearer"})
    memory: AsyncBeliefMemory = request.app.state.memory
    return memory.for_user(user_id)


Me = Annotated[AsyncUserMemory, Depends(current_user)]


def create_app(uri: str, model: BaseChatModel, tokens: Mapping[str, str]) -> FastAPI:
    """The service.

    Args:
        uri: where the memory is: a folder, or "s3://bucket/prefix" for several instances.
        model: what answers.
        tokens: the SHA-256 of a bearer token, and whose it is. It stands in for your
            identity provider: put the check of a signed token in ``current_user``.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # The server stops taking requests and finishes those it has before this goes on.
        async with AsyncBeliefMemory.open(uri) as memory:
            app.state.memory = memory
            yield

    app = FastAPI(title="Belief memory", version="1", lifespan=lifespan)
    app.state.model, app.state.tokens = model, tokens
    app.post("/beliefs")(remember)
    app.get("/beliefs")(beliefs)
    app.get("/beliefs/{name}/history")(history)
    app.post("/recall")(recall)
    app.post("/answer")(answer)
    app.delete("/beliefs/{name}")(forget)
    app.delete("/me")(forget_me)
    app.add_exception_handler(InvalidBelief, _says(422))
    app.add_exception_handler(InvalidQuery, _says(422))
    app.add_exception_handler(BeliefNotFound, _says(404))
    app.add_exception_handler(StoreBusy, _says(503, {"Retry-After": "1"}))
    return app


def _says(status: int, headers: dict[str, str] | None = None) -> Any:
    async def handle(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status, headers)

    return handle


async def remember(said: Assertion, me: Me) -> Remembered:
    """Assert something; what was held there gives way."""
    fields = said.model_dump(exclude={"name", "content", "attribute"})
    outcome = await me.remember((said.name, said.attribute), said.content, **fields)
    return Remembered(
        action=outcome.action, belief=Known.of(outcome.belief) if outcome.belief else None
    )


async def beliefs(me: Me) -> list[Known]:
    """All that is current."""
    return [Known.of(belief) for belief in await me.beliefs()]


async def history(name: str, me: Me, attribute: str | None = None) -> list[Known]:
    """Every value, and when it was true."""
    versions = await me.history((name, attribute))
    return [Known.of(version) for version in versions if version.retired_at is None]


async def recall(question: Question, me: Me) -> Recalled:
    """What the question names."""
    context = await me.recall(question.text)
    return Recalled(relevant=[*map(Known.of, context.relevant)], rendered=context.render())


async def answer(question: Question, me: Me, request: Request) -> Answered:
    """Ask the model, with what the question names before it."""
    context = await me.recall(question.text)
    told = f"Answer in one sentence.\n\n{context.render()}"
    reply = await request.app.state.model.ainvoke([("system", told), ("human", question.text)])
    return Answered(answer=reply.text, from_beliefs=[*map(Known.of, context.relevant)])


async def forget(name: str, me: Me, attribute: str | None = None) -> Forgotten:
    """Erase a belief, its history, and every trace of its text."""
    receipt = await me.forget((name, attribute))
    return Forgotten.model_validate(receipt, from_attributes=True)


async def forget_me(me: Me) -> Forgotten:
    """Erase all that is known about the caller."""
    receipt = await me.forget(everything=True)
    return Forgotten.model_validate(receipt, from_attributes=True)
