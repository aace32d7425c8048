"""What the tests of the report are given."""

from tests.unit.cli.conftest import shell

__all__ = ["shell"]
