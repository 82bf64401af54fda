"""From conversation to beliefs: extractors, and the gate that decides what they may teach."""

from belief_memory.learning.completion import Complete, CompletionExtractor
from belief_memory.learning.deterministic import DeterministicExtractor
from belief_memory.learning.parsing import parse_answer
from belief_memory.learning.redaction import redact
from belief_memory.learning.when import find_times

__all__ = [
    "Complete",
    "CompletionExtractor",
    "DeterministicExtractor",
    "find_times",
    "parse_answer",
    "redact",
]
