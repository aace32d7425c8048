"""From GitHub to the snapshot."""
