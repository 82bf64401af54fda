"""The command line: ``belief-memory``."""

from belief_memory.cli.app import main

__all__ = ["main"]
