"""Reading untrusted text: strict JSON, strict YAML, Markdown blocks, and JSON Schema without a network."""
