"""The policy: what a repository asks for, read from its file over a built-in profile, as typed data."""
