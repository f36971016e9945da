"""Ours and other chunkers, at the same mean number of tokens, in one table.

Run it with ``python -m benchmarks.chunkers``; see ``benchmarks.chunkers.__main__`` for its options.
"""
