"""GitHub: the only place that talks to it, in both directions."""
