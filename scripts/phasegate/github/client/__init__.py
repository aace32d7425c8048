"""Asking GitHub: one bounded session, and what its answers mean."""
