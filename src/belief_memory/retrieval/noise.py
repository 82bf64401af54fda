"""What is not read for names (Rule R10): fenced code, URLs, file paths, stack traces with
their exception line, and hex ids. Inline code is prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

NOISE = "\x1e"
"""Stands in for every character of noise: it is no letter, and it breaks phrases."""

_FENCE = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(`{3,}|~{3,})([^\n]*)", re.MULTILINE)
_INNER_FENCE = re.compile(r"(`{3,})([^`\n]*)$", re.MULTILINE)

_NOT_IN_URL = (
    r"\s<>\"`、。，；：！？（）「」『』【】《》\u1e00\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af"
)
_TOP_LEVEL = (
    "com|org|net|io|dev|ai|co|app|gov|edu|info|biz|cloud|me|tv|xyz|de|at|ch|fr|es|it|pt|nl|be"
    "|pl|cz|se|no|dk|fi|uk|ie|eu|ru|ua|tr|jp|cn|kr|tw|hk|in|br|mx|ar|ca|us|au|nz|za|il|local"
    "|gr|ro|hu|sk|si|hr|rs|bg|lt|lv|ee|lu|is|th|vn|id|sg|my|ph|eg|ae|sa|ir|cl|pe|kz|online|shop"
    "|site|store|blog|news|рф|укр"
)
_URL = re.compile(
    rf"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{{1,30}}://|www\.|mailto:)[^{_NOT_IN_URL}]+"
    rf"|(?<![\w@.-])(?:[\w-]+\.)+(?:{_TOP_LEVEL})(?::\d+)?/[^{_NOT_IN_URL}]*",
    re.IGNORECASE,
)
_SEGMENT = r"[\w.@+~%$#=,-]"
_EXTENSION = r"\.[a-z][a-z0-9]{0,9}(?::\d+)*(?![\w/])"
_ROOTS = (
    "src|libs?|bin|var|etc|usr|opt|tmp|home|node_modules|apps?|packages|pkg|cmd|internal|tests?"
    "|dist|build|docs|config|scripts|vendor|modules|public|static|assets"
)
_DOCUMENTS = (
    "pdf|docx?|odt|rtf|txt|md|tex|csv|tsv|xlsx?|ods|pptx?|odp|jpe?g|png|gif|svg|tiff?|heic|mp[34]"
    "|wav|flac|midi?|mov|avi|mkv|zip|rar|7z|gz|json|ya?ml|xml|html?|log|eml|ics|dwg|dxf|psd|epub"
)
_PATH = re.compile(
    r"(?<![\w.)\]/@*_~-])(?:~|\.{1,2}|\$\{?\w+\}?)?/"  # /a, ./a, ~/a, $A/a
    rf"{_SEGMENT}+(?:/{_SEGMENT}*)*"
    rf"|(?<![\w./@-])[a-z0-9_@][\w@-]*/(?:{_SEGMENT}+/)*[\w-]+(?:\.[\w-]+)*{_EXTENSION}"  # a/b.py
    rf"|(?<![\w./@-])@?[\w-]+(?:\.[\w-]+)*/(?:{_SEGMENT}+/)+[\w-]+(?:\.[\w-]+)*{_EXTENSION}"
    rf"|(?<![\w./@-])[\w@+-]+/(?:{_SEGMENT}+/)*[\w.-]+\.(?:{_DOCUMENTS})(?![\w/])"  # A/b.pdf
    rf"|(?<![\w./@-])(?:{_ROOTS})(?:/{_SEGMENT}+){{2,}}/?"  # src/a/b
    rf"|(?<![\w./@-])[\w.@-]+/(?:[\w.@-]+/)+(?=[\s\"'`),;:!?]|$)"  # a/b/
    r"|(?<!\w)(?:[A-Za-z]:[\\/]|\\\\)[^\s\"'`<>|?*]+"  # C:\a, \\host\a
    r"|(?<![\w\\.-])[\w.-]+(?:\\[\w.-]+)+"  # a\b
)
_SLASHED = re.compile(r"(?<!\S)[^\s/\\]*[/\\]\S*")
"""What lies between blanks around a slash: only there are URLs and paths looked for."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
"""Unlike ``str.splitlines`` this does not break a line at every character of noise."""

_HEX = re.compile(
    r"(?=[0-9A-Fa-fXx]{8})\b(?:"  # what rules out most positions comes first
    r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
    r"|0[Xx][0-9A-Fa-f]{8,}"
    r"|(?=[A-Fa-f]*[0-9])(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{8,}"
    r")\b"
)
_HEX_HINT = re.compile("[0-9a-fA-F]{8}")

_TRACE_HINT = re.compile(r"\n[ \t]*(?:at [^\n]*[(:]|File \"|Traceback \(|goroutine \d|#\d+ |from )")
_TRACE_MARKS = ("Traceback (", "panicked at", ":in `", ":in '")
_LINE_HINT = re.compile(r"[(:\[#\"]|\.\.\.|created by")
"""What every header and frame has; most lines of prose do not."""

_PYTHON_HEADER = re.compile(r"^[\s|+-]*(?:Exception Group )?Traceback \(most recent call last\):")
_FRAME = re.compile(
    r"^\s*(?:"
    r"at [\w$<>/\[\]`~]+[./][\w.$<>/\[\]`~]+\([^)]*\)(?: in .*)?"  # Java, .NET
    r"|at (?:async )?(?:new )?[^\s()]+:\d+(?::\d+)?"
    r"|at (?:async )?(?:new )?[^\s()]+(?: \[as [^\]]+\])? \((?:[^()]*:\d+|native|<anonymous>)\)"
    r"|\.\.\. \d+ (?:more|common frames omitted)"
    r"|File \"[^\"]*\", line \d+.*"
    r"|#\d+ .*"  # PHP, gdb
    r"|(?:from )?[^\s:]+:\d+:in [`'].*"  # Ruby
    r"|goroutine \d+ \[.*"
    r"|[\w./*()-]+\.[\w*().-]+\(.*\)"  # Go: the function; its file is the next line
    r"|created by .*"
    r"|\d+: +(?:0x[0-9a-f]+ - )?[\w<>:]+(?:::[\w<>{}]+)+"  # Rust
    r")\s*$"
)
_EXCEPTION = re.compile(
    r"^\s*(?:(?:Caused by|Suppressed|Unhandled exception|Uncaught|Exception in thread|panic"
    r"|PHP|thread '|fatal)\b.*|[\w.$:/\\]*[A-Za-z]\w*(?:Error|Exception|Warning|Fault|Exit"
    r"|Interrupt|Throwable)\b.*|[\w$]+(?:[.:]+[\w$]+)+: .*|[\w$]+: .*)$"
)
_GO_FILE = re.compile(r"^\s+\S+\.\w+:\d+(?: \+0x[0-9a-f]+)?\s*$")


def mask(text: str) -> str:
    """``text`` with every character of noise replaced, so that offsets stay the same."""
    if "```" in text or "~~~" in text:
        text = _blank(text, _fences(text))
    if "\n" in text and _may_have_a_trace(text):
        text = _blank(text, _traces(text))
    if "www." in text or "mailto:" in text:
        text = _URL.sub(_noise, text)
    if "/" in text or "\\" in text:
        text = "\n".join(
            _SLASHED.sub(_slashed, line) if "/" in line or "\\" in line else line
            for line in text.split("\n")
        )
    if _HEX_HINT.search(text):
        text = _HEX.sub(_noise, text)
    return text


def _may_have_a_trace(text: str) -> bool:
    return _TRACE_HINT.search(text) is not None or any(mark in text for mark in _TRACE_MARKS)


def _slashed(chunk: re.Match[str]) -> str:
    return _PATH.sub(_noise, _URL.sub(_noise, chunk.group()))


def _noise(match: re.Match[str]) -> str:
    return NOISE * len(match.group())


def _blank(text: str, spans: Iterator[tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += (text[at:start], NOISE * (end - start))
        at = end
    return "".join([*parts, text[at:]])


def _fences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while opening := _next_fence(text, at):
        start, body, fence = opening
        closing = re.compile(
            rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}(?=[\s.,;:!?)]|$)"
            rf"|{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$",
            re.MULTILINE,
        ).search(text, body)
        at = closing.end() if closing else len(text)
        yield start, at


def _next_fence(text: str, at: int) -> tuple[int, int, str] | None:
    """Start, start of the body, and the fence of the next block, if there is one."""
    for match in _FENCE.finditer(text, at):
        fence, info = match.group(2), match.group(3)
        if fence[0] == "~" or "`" not in info:
            first = (match.start(2), match.end(), fence)
            break
    else:
        first = None
    inner = _INNER_FENCE.search(text, at)
    while inner is not None and _closes_on_its_line(text, inner):
        inner = _INNER_FENCE.search(text, inner.end())
    if inner is not None and (first is None or inner.start() < first[0]):
        return inner.start(), inner.end(), inner.group(1)
    return first


def _closes_on_its_line(text: str, fence: re.Match[str]) -> bool:
    """Whether this run of backticks ends inline code that began on the same line."""
    line = text[text.rfind("\n", 0, fence.start()) + 1 : fence.start()]
    return line.count(fence.group(1)) % 2 == 1


def _traces(text: str) -> Iterator[tuple[int, int]]:
    lines = _LINE.findall(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    noise = bytearray(len(lines))
    at = 0
    while at < len(lines):
        if not _LINE_HINT.search(lines[at]):
            at += 1
        elif _PYTHON_HEADER.match(lines[at]):
            end = _python_end(lines, at + 1)
            noise[at:end] = b"\x01" * (end - at)
            at = end
        elif _FRAME.match(lines[at]) and _is_frame(lines, at):
            _mark_frame(lines, at, noise)
            at += 1
        else:
            at += 1
    for at, noisy in enumerate(noise):
        if noisy:
            yield starts[at], starts[at + 1]


def _is_frame(lines: list[str], at: int) -> bool:
    """A call alone on a line is a frame only where Go's file line follows it."""
    line = lines[at].lstrip()
    if line.startswith(("at ", "...", 'File "', "#", "from ", "goroutine", "created by")):
        return not line.startswith("#") or at + 1 == len(lines) or "(" in line
    if ":in " in line or "::" in line:
        return True
    return at + 1 < len(lines) and _GO_FILE.match(lines[at + 1]) is not None


def _mark_frame(lines: list[str], at: int, noise: bytearray) -> None:
    noise[at] = 1
    follows = at + 1
    if follows < len(lines):
        python_source = lines[at].lstrip().startswith('File "') and lines[follows][:1] in " \t"
        if python_source or _GO_FILE.match(lines[follows]):
            noise[follows] = 1
    before = at - 1
    while before >= 0 and not lines[before].strip():
        before -= 1
    if before >= 0 and not noise[before] and _EXCEPTION.match(lines[before]):
        noise[before] = 1
    if lines[at].lstrip().startswith('File "'):
        _mark_python_exception(lines, at, noise)


def _mark_python_exception(lines: list[str], at: int, noise: bytearray) -> None:
    end = at + 1
    while end < len(lines) and lines[end][:1] in " \t":
        end += 1
    if end < len(lines) and _EXCEPTION.match(lines[end]):
        noise[at : end + 1] = b"\x01" * (end + 1 - at)


def _python_end(lines: list[str], at: int) -> int:
    """Past the exception line of a traceback whose first frame is at ``at``."""
    while at < len(lines) and (lines[at][:1] in (" ", "\t", "|") or not lines[at].strip()):
        if not lines[at].strip() and (at + 1 == len(lines) or lines[at + 1][:1] not in " \t"):
            return at
        at += 1
    return min(at + 1, len(lines))
