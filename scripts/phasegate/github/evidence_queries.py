"""The GraphQL queries for evidence folders. Names of folders are the author's, so they are variables, never text."""

from __future__ import annotations

from collections.abc import Sequence

_LISTING = """
fragment listing on Tree { entries { name mode type oid } }
"""

_FILE = """
fragment file on Blob { oid byteSize isBinary isTruncated text }
"""

EVIDENCE = (
    """
query Evidence($owner: String!, $name: String!, $head: GitObjectID!, $folder: String!, $ignore: String!) {
  repository(owner: $owner, name: $name) {
    head: object(oid: $head) { ... on Commit { tree { ...listing } } }
    folder: object(expression: $folder) { ...listing }
    ignore: object(expression: $ignore) { ...file }
  }
}
"""
    + _LISTING
    + _FILE
)


def folder_query(files: int) -> str:
    """The query for a folder, and for so many files in it."""
    names = [f"file{number}" for number in range(files)]
    return _query("EvidenceFolder", ["folder"], names, [])


def heads_query(heads: int, folders: int, files: int) -> str:
    """The query for what some commits held: whether each is there, its folders, and so many files in some of them."""
    commits = [f"head{head}" for head in range(heads)]
    trees = [f"{head}_{folder}" for head in commits for folder in range(folders)]
    texts = [f"{tree}_{file}" for tree in trees for file in range(files)]
    return _query("EvidenceHeads", [*(f"{head}_all" for head in commits), *trees], texts, commits)


def _query(name: str, trees: Sequence[str], files: Sequence[str], commits: Sequence[str]) -> str:
    asked = [
        *((commit, "oid", "GitObjectID!", "__typename") for commit in commits),
        *((tree, "expression", "String!", "...listing") for tree in trees),
        *((file, "expression", "String!", "...file") for file in files),
    ]
    variables = ", ".join(f"${each}: {kind}" for each, _, kind, _ in asked)
    objects = "\n".join(f"    {each}: object({by}: ${each}) {{ {wanted} }}" for each, by, _, wanted in asked)
    return f"""
query {name}($owner: String!, $name: String!, {variables}) {{
  repository(owner: $owner, name: $name) {{
{objects}
  }}
}}
{_LISTING}{_FILE if files else ""}"""
