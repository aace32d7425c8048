"""What the documents say, statement by statement, with the examples that prove how each is enforced."""
