"""Beliefs that stay true. The names below are the whole public surface."""
