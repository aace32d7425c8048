"""Renderings of the report: status lines, the next action, the summary, JSON. Nothing is decided here."""
