"""The command line: one file a command, the same code that the action runs."""
