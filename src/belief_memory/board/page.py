"""The board as one page of HTML. The same board gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from belief_memory import Belief
from belief_memory.board.assets import POLICY, SCRIPT, STYLE
from belief_memory.board.digest import digest_markup
from belief_memory.board.markup import Html, join, tag
from belief_memory.board.timeline import scale_of, timeline
from belief_memory.board.view import Board, Disagreement, Story
from belief_memory.text.fold import slot_key

MAX_VERSIONS = 200
"""Of one slot, the newest so many versions are on the page; all are in the JSON."""

_SECTIONS = {
    "current": "Current beliefs",
    "conflicts": "Conflicts to decide",
    "pending": "Waiting for review",
    "questions": "Open questions",
    "digest": "The last days",
    "history": "History",
}


def render_page(board: Board) -> str:
    """The page. It loads nothing, and everything a belief says is text in it."""
    anchors = {
        slot_key(*story.slot): f"slot-{number}" for number, story in enumerate(board.stories, 1)
    }
    title = f"Beliefs of {board.user_id}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Html(STYLE)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", tag("bdi", title)), _moment(board), _counts(board), _links()),
        _filter(),
        tag(
            "main",
            _section("current", *_current(board, anchors)),
            _section("conflicts", _conflicts(board.conflicts, anchors)),
            _section("pending", _pending(board.pending, anchors)),
            _section("questions", _beliefs("Open questions", board.questions, anchors)),
            _section("digest", _digest(board)),
            _section("history", *_history(board.stories, anchors)),
        ),
        tag("script", Html(SCRIPT)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _moment(board: Board) -> Html:
    if board.as_of is None:
        return join()
    return tag("p", f"As things stood, and were known, at {_instant(board.as_of)} UTC.")


def _counts(board: Board) -> Html:
    counted = {**board.counts(), **{f"of type {k}": n for k, n in board.types().items()}}
    pairs = (tag("div", tag("dt", name), tag("dd", str(n))) for name, n in counted.items())
    return tag("dl", *pairs, class_="counts")


def _links() -> Html:
    items = (tag("li", tag("a", title, href=f"#{id}")) for id, title in _SECTIONS.items())
    return tag("nav", tag("ul", *items), aria_label="Sections")


def _filter() -> Html:
    # Disabled until the script is there to serve it.
    box = tag("input", type="search", id="filter", disabled=True, autocomplete="off")
    found = tag("span", id="found", role="status", class_="soft")
    return tag("div", tag("label", "Filter", for_="filter"), box, found, class_="filter")


def _section(id: str, *parts: Html) -> Html:
    heading = tag("h2", _SECTIONS[id], id=f"{id}-heading")
    shown = [part for part in parts if part] or [tag("p", "None.", class_="soft")]
    return tag("section", heading, *shown, id=id, aria_labelledby=f"{id}-heading")


def _current(board: Board, anchors: dict[str, str]) -> list[Html]:
    parts = []
    for scopes, kinds in board.groups():
        named = ", ".join(scopes)
        tables = (
            tag(
                "div",
                tag("h4", kind),
                _beliefs(f"{kind} in {named}", beliefs, anchors),
                data_group=True,
            )
            for kind, beliefs in kinds
        )
        parts.append(tag("div", tag("h3", tag("bdi", named)), *tables, data_group=True))
    return parts


def _beliefs(caption: str, beliefs: Sequence[Belief], anchors: dict[str, str]) -> Html:
    rows = [
        _row(
            belief,
            anchors,
            _said(belief),
            _names(belief),
            tag("td", _interval(belief.valid_from, belief.valid_to)),
            tag("td", _source(belief), dir="auto"),
        )
        for belief in beliefs
    ]
    return _table(caption, ("About", "Belief", "Also called", "True", "From"), rows)


def _pending(beliefs: Sequence[Belief], anchors: dict[str, str]) -> Html:
    rows = []
    for belief in beliefs:
        because = belief.metadata.get("waits_because")
        reason = because if isinstance(because, str) else ""
        cells = (tag("td", reason, dir="auto"), tag("td", _source(belief), dir="auto"))
        rows.append(_row(belief, anchors, _said(belief), *cells))
    return _table("Learned, and not believed until approved", _PENDING, rows, told=True)


def _conflicts(conflicts: Sequence[Disagreement], anchors: dict[str, str]) -> Html:
    rows = []
    for conflict in conflicts:
        held = tag("td", "(nothing)") if conflict.held is None else _said(conflict.held)
        alternative = conflict.alternative
        source = tag("td", _source(alternative), dir="auto")
        rows.append(_row(alternative, anchors, held, _said(alternative), source))
    return _table("The held value stays until somebody decides", _CONFLICTS, rows, told=True)


_PENDING = ("About", "Belief", "Waits because", "From")
_CONFLICTS = ("About", "Held", "Alternative", "From")
_HISTORY = ("Version", "Belief", "True (valid time)", "Known (system time)", "Timeline", "From")


def _history(stories: Sequence[Story], anchors: dict[str, str]) -> list[Html]:
    if not stories:
        return []
    legend = "In a timeline the upper bar is when it was true, the lower one when it was known."
    return [tag("p", legend, class_="soft"), *(_story(story, anchors) for story in stories)]


def _story(story: Story, anchors: dict[str, str]) -> Html:
    shown = story.versions[-MAX_VERSIONS:]
    scale = scale_of(shown)
    rows = [
        tag(
            "tr",
            tag("th", str(version.rev), _marks(version), scope="row"),
            _said(version),
            tag("td", _interval(version.valid_from, version.valid_to)),
            tag("td", _interval(version.recorded_at, version.retired_at)),
            tag("td", timeline(version, scale)),
            tag("td", _source(version), _links_of(version), dir="auto"),
            class_="gone" if version.retired_at is not None else None,
        )
        for version in shown
    ]
    count = len(story.versions)
    left_out = count - len(shown)
    note = f"{left_out} earlier versions are not shown here." if left_out else ""
    name = str(story.slot)
    return tag(
        "details",
        tag(
            "summary",
            tag("bdi", name),
            tag("span", f" {count} {'version' if count == 1 else 'versions'}", class_="soft"),
        ),
        tag("p", note, class_="soft") if note else join(),
        _table(f"Versions of {name}, in the order of recording", _HISTORY, rows),
        id=anchors[slot_key(*story.slot)],
        data_group=True,
    )


def _digest(board: Board) -> Html:
    return tag("div", digest_markup(board.digest)) if board.digest else join()


def _table(
    caption: str, columns: Iterable[str], rows: Sequence[Html], *, told: bool = False
) -> Html:
    """A table; its caption is for those who listen, unless it tells more than the heading."""
    if not rows:
        return join()
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    table = tag(
        "table",
        tag("caption", caption, class_=None if told else "heard"),
        tag("thead", head),
        tag("tbody", *rows),
    )
    return tag("div", table, class_="wide")


def _row(belief: Belief, anchors: dict[str, str], *cells: Html) -> Html:
    link = tag("a", tag("bdi", str(belief.slot)), href=f"#{anchors[slot_key(*belief.slot)]}")
    return tag("tr", tag("th", link, _marks(belief), scope="row"), *cells)


def _said(belief: Belief) -> Html:
    why = belief.why_it_matters
    directive = tag("div", f"→ {why}", class_="soft", dir="auto") if why.strip() else join()
    return tag("td", tag("div", belief.content, dir="auto"), directive, class_="said")


def _names(belief: Belief) -> Html:
    return tag("td", ", ".join((*belief.aliases, *belief.attribute_aliases)), dir="auto")


def _marks(belief: Belief) -> Html:
    marks = {
        "pinned": belief.pinned,
        "edited by a person": belief.user_edited,
        belief.standing: belief.standing != "held",
        belief.epistemic_status: belief.epistemic_status != "active",
        "resolved": belief.resolved_at is not None,
        f"agent {belief.agent_id}": belief.agent_id is not None,
        f"member {belief.member}": belief.member is not None and belief.member != belief.content,
    }
    shown = [join(" ", tag("span", mark, class_="mark")) for mark, on in marks.items() if on]
    return join(*shown)


def _source(belief: Belief) -> str:
    origin = belief.provenance
    if origin is None:
        return ""
    parts = [origin.source]
    if origin.extractor or origin.model:
        parts.append(" ".join(part for part in (origin.extractor, origin.model) if part))
    if origin.session_id:
        parts.append(f"session {origin.session_id}")
    if origin.at is not None:
        parts.append(_instant(origin.at))
    if origin.quote:
        parts.append(f"“{origin.quote}”")
    return ", ".join(parts)


def _links_of(version: Belief) -> Html:
    links = {
        "replaced": version.supersedes,
        "replaced by": version.superseded_by,
        "answered by": version.resolved_by,
        "contradicts": version.conflicts_with,
    }
    lines = [f"{word} {id}" for word, id in links.items() if id]
    return join(*(tag("div", line, class_="soft") for line in [f"id {version.id}", *lines]))


def _interval(start: datetime, end: datetime | None) -> Html:
    return join(_time(start), " to ", "now on" if end is None else _time(end))


def _time(at: datetime) -> Html:
    return tag("time", _instant(at), datetime=at.isoformat())


def _instant(at: datetime) -> str:
    if at.second or at.microsecond:
        return at.isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")
    if at.hour or at.minute:
        return at.isoformat(sep=" ", timespec="minutes").removesuffix("+00:00")
    return at.date().isoformat()
