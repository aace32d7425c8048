"""The Context Protocol: what agents are given to read, built within its budgets and checked; pure."""
