"""LlamaIndex chat engines and agents with a memory that stays true."""

from llama_index.memory.belief.adapter import Injection
from llama_index.memory.belief.base import BeliefChatMemory
from llama_index.memory.belief.block import BeliefMemoryBlock
from llama_index.memory.belief.live import register_memory
from llama_index.memory.belief.models import LlamaIndexEmbedder, LlamaIndexExtractor
from llama_index.memory.belief.retriever import BeliefRetriever

__all__ = [
    "BeliefChatMemory",
    "BeliefMemoryBlock",
    "BeliefRetriever",
    "Injection",
    "LlamaIndexEmbedder",
    "LlamaIndexExtractor",
    "register_memory",
]
