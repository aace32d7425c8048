"""Markdown as GitHub renders it."""
