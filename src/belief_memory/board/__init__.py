"""A read-only look at one user's memory, for people: one self-contained page."""

from belief_memory.board.page import render_page
from belief_memory.board.view import Board, look

__all__ = ["Board", "look", "render_page"]
