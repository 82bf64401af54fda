"""One user's memory as a server of the Model Context Protocol.

Needs the extra ``belief-memory[mcp]``; nothing else in the package imports this room or the
SDK, except the command ``belief-memory mcp`` when it runs.
"""
