"""From conversation to beliefs: extractors, and the gate that decides what they may teach.

To write an extractor of your own: an object with a ``name`` and ``async extract(lesson:
Lesson) -> Extraction``; it only says what was said, the gate decides.
"""

from belief_memory.learning.completion import Complete, CompletionExtractor
from belief_memory.learning.deterministic import DeterministicExtractor
from belief_memory.learning.parsing import parse_answer
from belief_memory.learning.prompt import answer_schema, extraction_prompt
from belief_memory.learning.redaction import redact
from belief_memory.learning.when import find_times
from belief_memory.model.learning import Extraction, Learned, Lesson, Said, Skip

__all__ = [
    "Complete",
    "CompletionExtractor",
    "DeterministicExtractor",
    "Extraction",
    "Learned",
    "Lesson",
    "Said",
    "Skip",
    "answer_schema",
    "extraction_prompt",
    "find_times",
    "parse_answer",
    "redact",
]
