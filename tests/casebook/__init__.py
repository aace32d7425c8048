"""The case book: whole pull requests told as short stories, each with what the gate must say about it."""
