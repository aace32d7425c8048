"""The rules: weighed votes and the policy in, decisions that explain themselves out."""
