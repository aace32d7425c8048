"""The jkz dialect: verdicts and other signals in comments."""
