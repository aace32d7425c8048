"""The REST half of the hub: one module for each kind of thing, each function answers one operation."""
