"""The rules: weighed words and the policy in, decisions that explain themselves out."""
