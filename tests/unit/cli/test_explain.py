"""explain: one code, or all codes."""

from __future__ import annotations

import pytest

from tests.unit.cli.shell import HOSTILE, Shell


@pytest.mark.parametrize("code", ["PG112", "pg112", "Pg112"])
def test_explain__a_code_in_any_case(shell: Shell, code: str) -> None:
    done = shell("explain", code)
    assert done.code == 0
    for part in ("PG112", "severity: error (not adjustable)", "Fix: ", "Wrong:", "Right:"):
        assert part in done.out


@pytest.mark.parametrize("code", ["PG999", "", "112", "PG", "PG1122", "PG\u0661\u0661\u0662", HOSTILE, "x" * 5000])
def test_explain__an_unknown_code_is_a_mistake_of_the_user(shell: Shell, code: str) -> None:
    assert shell("explain", code).is_a_mistake_of_the_user("CODE")


def test_explain__json_of_one_and_of_all(shell: Shell) -> None:
    one, every = shell("explain", "--json", "PG112").data, shell("explain", "--json").data
    assert one in every
    assert one["adjustable"] is False
    assert "severity: warning (the policy can change it)" in shell("explain", "PG104").out
