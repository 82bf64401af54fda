"""For tests of what is built on this package: builders and strategies of beliefs, and the
contract that every store has to keep.

Nothing here is imported by the package itself; ``contract`` needs pytest and
pytest-asyncio, ``strategies`` needs hypothesis.
"""
