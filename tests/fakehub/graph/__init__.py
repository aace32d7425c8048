"""The GraphQL half of the hub: GitHub's published schema, executed over the same state as REST."""
