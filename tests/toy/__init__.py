"""A dialect of a few lines, to see that one package is all that a dialect takes."""
