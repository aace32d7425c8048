"""JSON Schema without a network."""
