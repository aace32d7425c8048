"""The attacks: whole pull requests that try to get an unfair success, by kind."""
