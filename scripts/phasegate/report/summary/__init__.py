"""The summary for reviewers, section by section."""
