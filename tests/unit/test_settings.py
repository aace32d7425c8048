"""Inputs and environment to settings: what is taken, what is refused, and that each refusal names its input."""

from __future__ import annotations

import pytest

from phasegate.settings import Annotations, FailOn, Settings, SettingsError, api_from_environ, settings_from_environ

ENOUGH = {"PHASE_GATE_TOKEN": "t0", "GITHUB_REPOSITORY": "octo/shop"}


def settings(**changes: str) -> Settings:
    """The settings of a run that is told little else."""
    return settings_from_environ({**ENOUGH, **changes})


def test_settings__have_defaults() -> None:
    found = settings()
    assert (found.pull_request, found.policy_path, found.fail_on) == (None, ".github/phase-gate.yml", FailOn.NEVER)
    assert (found.dry_run, found.save_snapshot, found.annotations) == (False, False, Annotations.LOG)
    assert not found.base_in_context
    assert "t0" not in repr(found)
    assert (found.summary_path, found.temp, found.run_url) == (None, None, None)
    assert (found.api.rest, found.api.graphql) == ("https://api.github.com", "https://api.github.com/graphql")


def test_settings__empty_inputs_are_defaults() -> None:
    names = ("PULL_REQUEST", "POLICY_PATH", "FAIL_ON", "DRY_RUN", "SAVE_SNAPSHOT", "ANNOTATIONS", "API_URL")
    assert settings(**{f"PHASE_GATE_{name}": "" for name in names}) == settings()


def test_settings__take_every_input() -> None:
    found = settings(
        PHASE_GATE_PULL_REQUEST="7",
        PHASE_GATE_POLICY_PATH="ci/gate policy.yml",
        PHASE_GATE_FAIL_ON="pending",
        PHASE_GATE_DRY_RUN="true",
        PHASE_GATE_SAVE_SNAPSHOT="true",
        PHASE_GATE_ANNOTATIONS="check-run",
        PHASE_GATE_API_URL="https://github.example/api/v3/",
        GITHUB_RUN_ID="42",
        GITHUB_SERVER_URL="https://github.example",
    )
    assert (found.pull_request, found.policy_path, found.fail_on) == (7, "ci/gate policy.yml", FailOn.PENDING)
    assert (found.dry_run, found.save_snapshot, found.annotations) == (True, True, Annotations.CHECK_RUN)
    assert found.api.rest == "https://github.example/api/v3"
    assert found.run_url == "https://github.example/octo/shop/actions/runs/42"
    assert [settings(PHASE_GATE_BASE_IN_CONTEXT=told).base_in_context for told in ("true", "false")] == [True, False]
    assert {settings(GITHUB_RUN_ID=run).run_url for run in ("", "42\n", "4/2", "x")} == {None}


@pytest.mark.parametrize(("told", "days"), [("90", 90), ("1", 1), ("400", 400), ("30", 30)])
def test_retention__is_what_the_runner_tells(told: str, days: int) -> None:
    found = settings(GITHUB_RETENTION_DAYS=told)
    assert (found.retention_days, found.notices) == (days, ())


@pytest.mark.parametrize(
    "told",
    ["", "0", "-1", "401", "90 ", "9e1", "ninety", "007", "\N{ARABIC-INDIC DIGIT NINE}", "9" * 5000, "1\n::error::x"],
)
def test_retention__is_one_day_where_it_is_nonsense(told: str) -> None:
    found = settings(GITHUB_RETENTION_DAYS=told)
    assert found.retention_days == 1
    assert [each.partition(" is ")[0] for each in found.notices] == ["GITHUB_RETENTION_DAYS"]
    assert found.notices[0].endswith(": statuses are taken to be kept for one day")


@pytest.mark.parametrize(("told", "path"), [
    ("octo/shop/.github/workflows/phase-gate.yml@refs/heads/main", ".github/workflows/phase-gate.yml"),
    ("octo/shop/.github/workflows/a b.yaml@refs/pull/7/merge", ".github/workflows/a b.yaml"),
    ("", None),
    ("evil/shop/.github/workflows/phase-gate.yml@main", None),
    ("octo/shop/src/x.yml@main", None),
    ("octo/shop/.github/workflows/../../x.yml@main", None),
    ("octo/shop/.github/workflows/x\n.yml@main", None),
])  # fmt: skip
def test_workflow__is_the_file_that_the_runner_tells(told: str, path: str | None) -> None:
    assert settings(GITHUB_WORKFLOW_REF=told).workflow == path


@pytest.mark.parametrize(("name", "value", "message"), [
    ("PHASE_GATE_TOKEN", "", "token is empty"),
    ("PHASE_GATE_TOKEN", "t0\n", "token holds a space or a line end"),
    ("PHASE_GATE_TOKEN", '"t 0"', "token holds a space or a line end"),
    ("PHASE_GATE_PULL_REQUEST", "#7", 'pull-request is not a number: "#7"'),
    ("PHASE_GATE_PULL_REQUEST", "0", "pull-request is not a number"),
    ("PHASE_GATE_PULL_REQUEST", "\N{ARABIC-INDIC DIGIT SEVEN}", "pull-request is not a number"),
    ("PHASE_GATE_PULL_REQUEST", "7\n", "pull-request is not a number"),
    ("PHASE_GATE_POLICY_PATH", "/etc/passwd", "policy-path is not a path inside the repository"),
    ("PHASE_GATE_POLICY_PATH", "a/../../b.yml", "policy-path is not a path inside the repository"),
    ("PHASE_GATE_POLICY_PATH", "a.yml\nb", "policy-path is not a path inside the repository"),
    ("PHASE_GATE_POLICY_PATH", "main:a.yml", "policy-path is not a path inside the repository"),
    ("PHASE_GATE_FAIL_ON", "Failure", "fail-on is one of never, failure, pending"),
    ("PHASE_GATE_FAIL_ON", "x" * 10_000, "fail-on is one of never, failure, pending"),
    ("PHASE_GATE_ANNOTATIONS", "check_run", 'annotations is one of log, check-run, none, not "check_run"'),
    ("PHASE_GATE_ANNOTATIONS", "Log", "annotations is one of log, check-run, none"),
    ("PHASE_GATE_DRY_RUN", "True", 'dry-run is true or false, not "True"'),
    ("PHASE_GATE_DRY_RUN", "yes", "dry-run is true or false"),
    ("PHASE_GATE_SAVE_SNAPSHOT", "1", "save-snapshot is true or false"),
    ("PHASE_GATE_BASE_IN_CONTEXT", "True", 'base-in-context is true or false, not "True"'),
    ("PHASE_GATE_BASE_IN_CONTEXT", "yes", "base-in-context is true or false"),
    ("PHASE_GATE_API_URL", "github.example", "api-url is not an address"),
    ("PHASE_GATE_API_URL", "https://user@github.example", "api-url is not an address"),
    ("GITHUB_API_URL", "ftp://github.example", "GITHUB_API_URL is not an address"),
    ("GITHUB_API_URL", "https://github.example/\nHost: x", "GITHUB_API_URL is not an address"),
    ("GITHUB_API_URL", "http://[oops", "GITHUB_API_URL is not an address"),
    ("GITHUB_GRAPHQL_URL", "https://x y", "GITHUB_GRAPHQL_URL is not an address"),
    ("GITHUB_REPOSITORY", "", "GITHUB_REPOSITORY is not owner/name"),
    ("GITHUB_REPOSITORY", "octo/shop/more", "GITHUB_REPOSITORY is not owner/name"),
])  # fmt: skip
def test_settings__refuse_by_name(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsError) as refused:
        settings(**{name: value})
    assert str(refused.value).startswith(message)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(("told", "rest", "graphql"), [
    ({}, "https://api.github.com", "https://api.github.com/graphql"),
    ({"GITHUB_API_URL": "https://github.example/api/v3"}, "https://github.example/api/v3",
     "https://github.example/api/graphql"),
    ({"GITHUB_API_URL": "https://api.acme.ghe.com", "GITHUB_GRAPHQL_URL": "https://api.acme.ghe.com/graphql"},
     "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
    ({"GITHUB_API_URL": "http://[::1]:8080/", "GITHUB_GRAPHQL_URL": ""}, "http://[::1]:8080",
     "http://[::1]:8080/graphql"),
])  # fmt: skip
def test_api__is_where_the_runner_says(told: dict[str, str], rest: str, graphql: str) -> None:
    api = api_from_environ(told, "t0")
    assert (api.rest, api.graphql) == (rest, graphql)


def test_api__an_address_of_its_own_leaves_the_surrounding_one_alone() -> None:
    surroundings = {"GITHUB_API_URL": "https://api.github.com", "GITHUB_GRAPHQL_URL": "https://api.github.com/graphql"}
    api = api_from_environ(surroundings, "t0", "http://127.0.0.1:8080")
    assert (api.rest, api.graphql) == ("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql")


@pytest.mark.parametrize(("spared", "used"), [
    ("", True), ("github.com", False), (".github.com", False), ("API.GitHub.com", False),
    ("example.com, api.github.com", False), ("*", False), ("hub.com", True), ("api.github.com.example", True),
])  # fmt: skip
def test_api__proxies_but_for_hosts_that_are_spared(spared: str, *, used: bool) -> None:
    api = api_from_environ({"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": spared}, "t0")
    assert api.proxies == ({"https": "http://proxy.example:3128"} if used else {})


@pytest.mark.parametrize(("url", "spared", "used"), [
    ("https://api.github.com", "api.github.com:443", False),
    ("https://api.github.com", "github.com:443", False),
    ("https://api.github.com", ".github.com:443", False),
    ("https://api.github.com", "*.github.com", False),
    ("https://api.github.com", "api.github.com:8443", True),
    ("https://ghe.example:8443/api/v3", "ghe.example:8443", False),
    ("https://ghe.example:8443/api/v3", "ghe.example:443", True),
    ("https://ghe.example:8443/api/v3", "other.example:1, ghe.example:8443", False),
    ("https://[::1]:8443", "[::1]:8443", False),
    ("https://[::1]:8443", "[::1]:443", True),
    ("https://[::1]:8443", "[::1]", False),
    ("https://[::1]:8443", "::1", False),
    ("http://[::1]:8080", "::1", False),
    ("https://api.github.com", ":443", True),
    ("https://api.github.com", "*:443", False),
])  # fmt: skip
def test_api__spares_hosts_with_ports(url: str, spared: str, *, used: bool) -> None:
    scheme = url.partition(":")[0]
    told = {"GITHUB_API_URL": url, f"{scheme}_proxy": "http://proxy.example:3128", "no_proxy": spared}
    assert api_from_environ(told, "t0").proxies == ({scheme: "http://proxy.example:3128"} if used else {})


@pytest.mark.parametrize(("told", "used"), [
    ("http://proxy.example:3128", "http://proxy.example:3128"),
    ("proxy.example:3128", "http://proxy.example:3128"),
    ("http://mona:s3cret@proxy.example:3128/", "http://mona:s3cret@proxy.example:3128/"),
    ("https://[::1]:3128", "https://[::1]:3128"),
    ("10.0.0.1", "http://10.0.0.1"),
])  # fmt: skip
def test_api__takes_a_proxy_with_its_port(told: str, used: str) -> None:
    assert api_from_environ({"HTTPS_PROXY": told}, "t0").proxies == {"https": used}


@pytest.mark.parametrize(
    "told", ["http://proxy.example:99999", "http://x:s3cret@proxy:port", "socks5://p:1080", "http://"]
)
def test_api__says_that_a_proxy_cannot_be_used_and_keeps_its_password(told: str) -> None:
    with pytest.raises(SettingsError, match=r"^https_proxy is not the address of an HTTP proxy, such as ") as caught:
        api_from_environ({"https_proxy": told}, "t0")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_api__takes_the_certificates_of_the_machine(name: str) -> None:
    assert api_from_environ({name: "/certificates.pem"}, "t0").certificates == "/certificates.pem"
