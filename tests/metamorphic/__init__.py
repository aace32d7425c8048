"""Metamorphic tests: one objection put into a green pull request never leaves it green, and an ordinary remark does."""
