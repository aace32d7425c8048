"""From the report to GitHub."""
