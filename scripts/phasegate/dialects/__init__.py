"""The dialects: texts and files in, signals in normal form and problems out."""
