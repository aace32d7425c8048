"""Renderings of the report: status lines, the next action, the summary, JSON. Decides nothing."""
