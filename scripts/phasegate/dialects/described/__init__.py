"""Formats as data: what agents write is described, and read by the description."""
