"""The client's core: what every kind of answer means, without a network and without a clock."""

from __future__ import annotations

import json

import pytest

from phasegate.github.client.answers import (
    ABSENT,
    ATTEMPTS,
    Answer,
    Attempt,
    Data,
    GitHubError,
    InvalidError,
    MissingError,
    MovedError,
    RefusedError,
    Retry,
    TooLargeError,
    as_documented,
    understand,
    understand_divisible,
    understand_graphql,
)

NOW = 1_700_000_000.0
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
TIMEOUT = {"message": "Something went wrong while executing your query. This may be the result of a timeout."}


def answer(status: int = 200, body: object = None, **headers: str) -> Answer:
    """An answer; of a header's name, underscores stand for hyphens."""
    raw = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
    return Answer(status=status, headers={name.replace("_", "-"): text for name, text in headers.items()}, body=raw)


def asked(attempt: int = 1, absent_after: int = 2) -> Attempt:
    return Attempt(what="GET /it", attempt=attempt, now=NOW, absent_after=absent_after)


def refusal(told: Answer, attempt: int = 1) -> str:
    """The message of an answer that is an error for good."""
    with pytest.raises(GitHubError) as caught:
        understand(told, asked(attempt))
    return str(caught.value)


def graphql(errors: object, data: object = None, **headers: str) -> Answer:
    return answer(200, {"data": data, "errors": errors}, **headers)


@pytest.mark.parametrize("status", [200, 201])
def test_understand__takes_json(status: int) -> None:
    assert understand(answer(status, {"a": 1}), asked()) == Data(value={"a": 1})


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_understand__asks_again_after_a_wait_that_grows_until_it_is_enough(status: int) -> None:
    waits = [understand(answer(status), asked(attempt)) for attempt in range(1, ATTEMPTS)]
    assert [wait.seconds for wait in waits if isinstance(wait, Retry)] == [1.0, 2.0, 4.0, 8.0]
    assert f"GET /it: GitHub answered {status}, 5 times in a row" in refusal(answer(status), ATTEMPTS)


@pytest.mark.parametrize(("told", "why"), [
    (answer(200, b"<!DOCTYPE html><title>Unicorn!</title>"), "the answer is not JSON"),
    (answer(200, b""), "the answer is not JSON"),
    (answer(200, b"\xff\xfe{}"), "the answer is not JSON"),
    (answer(200, b'{"a": '), "the answer is not JSON"),
    (answer(200, b"[" * 100_000), "the answer is not JSON"),
    (answer(200, []), "the answer is not an object"),
    (answer(200, b"null"), "the answer is not an object"),
    (answer(200, b"7"), "the answer is not an object"),
])  # fmt: skip
def test_understand__what_is_no_such_answer_is_asked_again(told: Answer, why: str) -> None:
    assert understand(told, asked()) == Retry(seconds=1.0, why=f"GET /it: {why}")
    assert why in refusal(told, ATTEMPTS)


def test_understand__a_list_is_no_object_and_an_object_no_list() -> None:
    assert understand(answer(200, [1]), asked(), list) == Data(value=[1])
    assert understand(answer(200, {}), asked(), list) == Retry(seconds=1.0, why="GET /it: the answer is not a list")
    assert understand(answer(200, [1]), asked(), object) == Data(value=[1])


def test_understand__not_found_is_believed_when_it_is_said_twice() -> None:
    assert understand(answer(404), asked()) == Retry(seconds=1.0, why="GET /it: not found")
    assert understand(answer(404), asked(2)) == ABSENT
    assert understand(answer(404), asked(absent_after=1)) == ABSENT


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0", 1.0),
        ("0.5", 1.0),
        ("2.5", 2.5),
        ("999999", 999999.0),
        ("99999999999999", 99999999999999.0),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30.0),
        ("Tue, 14 Nov 2023 22:00:00 GMT", 1.0),
        ("abc", 60.0),
        ("-5", 60.0),
        ("١٢", 60.0),  # digits, but not those of a header
        ("1e9", 60.0),
        ("", 60.0),
        ("9" * 5000, 60.0),
        ("Tue, 99 Nov 2023 99:99:99 GMT", 60.0),
    ],
)
@pytest.mark.parametrize("status", [403, 429])
def test_understand__retry_after_in_every_form(status: int, retry_after: str, seconds: float) -> None:
    understood = understand(answer(status, retry_after=retry_after), asked())
    assert understood == Retry(seconds=seconds, why="GET /it: GitHub's rate limit", limited=True)


@pytest.mark.parametrize(("told", "seconds"), [
    (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=f"{NOW + 25:.0f}"), 25.0),
    (answer(429, x_ratelimit_remaining="0", x_ratelimit_reset=f"{NOW + 25:.0f}"), 25.0),
    (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=f"{NOW - 25:.0f}"), 1.0),
    (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="soon"), 60.0),
    (answer(403, x_ratelimit_remaining="0"), 60.0),
    (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=f"{NOW + 25:.0f}", retry_after="3"), 3.0),
    (answer(403, SECONDARY), 60.0),
    (answer(403, SECONDARY, x_ratelimit_remaining="4000", x_ratelimit_reset=f"{NOW + 25:.0f}"), 60.0),
    (answer(403, {"message": "You have triggered an abuse detection mechanism."}), 60.0),
    (answer(429), 60.0),
])  # fmt: skip
def test_understand__rate_limits_are_waited_for(told: Answer, seconds: float) -> None:
    understood = understand(told, asked())
    assert isinstance(understood, Retry)
    assert (understood.seconds, understood.limited) == (seconds, True)
    until = seconds in (25.0, 1.0)
    assert understood.why.startswith("GET /it: GitHub's rate limit" + (" is used up until 22:1" if until else ""))
    assert "GET /it: GitHub's rate limit is used up, after 5 tries" in refusal(told, ATTEMPTS)


def test_understand__a_limit_without_a_time_is_waited_for_longer_each_time() -> None:
    waits = [understand(answer(403, SECONDARY), asked(attempt)) for attempt in (1, 2, 3)]
    assert [wait.seconds for wait in waits if isinstance(wait, Retry)] == [60.0, 120.0, 240.0]


@pytest.mark.parametrize(("told", "votes"), [
    (answer(401, {"message": "Bad credentials"}), "the token is not valid. Set another GITHUB_TOKEN"),
    (answer(403, {"message": "Resource not accessible by integration"}),
     "the token may not do this. Add to permissions in the workflow: see the README"),
    (answer(403, {}, X_Accepted_GitHub_Permissions="statuses=write"),
     "Add to permissions in the workflow: statuses=write"),
    (answer(301, {"message": "Moved Permanently"}), "the repository was renamed or moved. Use its new name"),
    (answer(302), "redirects are not followed with a token"),
    (answer(307), "redirects are not followed with a token"),
    (answer(308), "redirects are not followed with a token"),
    (answer(422, {"message": "Validation Failed", "errors": [{"message": "reached the maximum number"}]}),
     "GitHub answered 422: Validation Failed: reached the maximum number"),
    (answer(422, {"message": "Validation Failed", "errors": ["odd"]}), "422: Validation Failed"),
    (answer(422, {"message": "Validation Failed", "errors": "odd"}), "422: Validation Failed"),
    (answer(410, {"message": "Gone"}), "GitHub answered 410: Gone"),
    (answer(451, b"<html>"), "GitHub answered 451: no reason given"),
    (answer(400, b"[1]"), "GitHub answered 400: no reason given"),
    (answer(400, b"[" * 100_000), "GitHub answered 400: no reason given"),
    (answer(204, b""), "GitHub answered 204: no reason given"),
])  # fmt: skip
def test_understand__what_no_repetition_mends_says_what_to_do(told: Answer, votes: str) -> None:
    message = refusal(told)
    assert message.startswith(f"GET /it: GitHub answered {told.status}")
    assert votes in message


def test_understand__a_refusal_can_be_told_from_a_failure() -> None:
    for status, kind in ((403, RefusedError), (422, InvalidError)):
        with pytest.raises(kind):
            understand(answer(status), asked())


def test_understand__long_words_of_github_are_cut() -> None:
    assert len(refusal(answer(400, {"message": "x" * 10_000}))) < 300


@pytest.mark.parametrize(("header", "expected"), [
    (None, None),
    ("", None),
    ('<https://api.github.com/x?page=2>; rel="next", <https://api.github.com/x?page=9>; rel="last"', "?page=2"),
    ('<https://api.github.com/x?page=1>; rel="prev",<https://api.github.com/x?page=3>; rel="next"', "?page=3"),
    ('<https://api.github.com/x?page=1>; rel="first"', None),
    ('<https://api.github.com/x?page=2>;rel="next"', "?page=2"),
    ("https://api.github.com/x?page=2; rel=next", None),
    ('<https://api.github.com/x?page=2; rel="next"', None),
    ("<" * 100_000, None),
])  # fmt: skip
@pytest.mark.parametrize("name", ["link", "LINK"])
def test_understand__the_next_page_is_read_from_the_header(header: str | None, expected: str | None, name: str) -> None:
    understood = understand(answer(200, [], **({} if header is None else {name: header})), asked(), list)
    assert isinstance(understood, Data)
    assert understood.next_url == (None if expected is None else f"https://api.github.com/x{expected}")


def test_graphql__whole_data_is_data() -> None:
    assert understand_graphql(answer(200, {"data": {"a": 1}}), asked()) == Data(value={"a": 1})
    assert understand_graphql(answer(200, {"data": {"a": 1}, "errors": []}), asked()) == Data(value={"a": 1})


@pytest.mark.parametrize(
    "body", [{}, {"data": None}, {"data": []}, {"data": "x"}, {"errors": []}, {"message": "hi"}, []]
)
def test_graphql__what_is_no_result_is_asked_again(body: object) -> None:
    assert isinstance(understand_graphql(answer(200, body), asked()), Retry)


@pytest.mark.parametrize("errors", [
    [TIMEOUT],
    [{"message": "Something went wrong", "path": ["repository", "pullRequest", "comments"]}],
    [{"type": "SERVICE_UNAVAILABLE", "message": "later"}],
    [{"type": "NOT_FOUND", "message": "gone"}, TIMEOUT],
    ["odd"],
    "odd",
    {"message": "odd"},
    [{"type": ["odd"], "message": "odd"}, {}],
    [{"message": None}],
])  # fmt: skip
def test_graphql__partial_data_is_never_data(errors: object) -> None:
    told = graphql(errors, data={"repository": {"pullRequest": {"comments": None}}})
    assert isinstance(understand_graphql(told, asked()), Retry)
    with pytest.raises(GitHubError, match=r"only in part .*5 times in a row"):
        understand_graphql(told, asked(ATTEMPTS))


@pytest.mark.parametrize(("errors", "seconds"), [
    ([{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}], 25.0),
    ([{"type": "RATE_LIMIT", "code": "graphql_rate_limit", "message": "API rate limit already exceeded"}], 25.0),
    ([{"type": "NOT_FOUND"}, {"type": "RATE_LIMITED"}], 25.0),
    ([SECONDARY], 25.0),
])  # fmt: skip
def test_graphql__rate_limits_come_with_status_200(errors: object, seconds: float) -> None:
    told = graphql(errors, x_ratelimit_remaining="0", x_ratelimit_reset=f"{NOW + 25:.0f}")
    why = "GET /it: GitHub's rate limit is used up until 22:13 UTC"
    assert understand_graphql(told, asked()) == Retry(seconds=seconds, why=why, limited=True)
    with pytest.raises(GitHubError, match="rate limit is used up"):
        understand_graphql(told, asked(ATTEMPTS))


def test_graphql__a_limit_without_headers_is_waited_for_a_minute() -> None:
    understood = understand_graphql(graphql([{"type": "RATE_LIMITED"}], retry_after="5"), asked())
    assert understood == Retry(seconds=5.0, why="GET /it: GitHub's rate limit", limited=True)
    understood = understand_graphql(graphql([{"type": "RATE_LIMITED"}]), asked())
    assert understood == Retry(seconds=60.0, why="GET /it: GitHub's rate limit", limited=True)


def test_graphql__words_in_a_comment_are_no_rate_limit() -> None:
    told = graphql([TIMEOUT], data={"repository": {"body": SECONDARY["message"]}})
    assert understand_graphql(told, asked()) == Retry(
        seconds=1.0, why=f"GET /it: GitHub answered only in part ({TIMEOUT['message']})"
    )


def test_graphql__not_found_is_believed_when_it_is_said_twice() -> None:
    told = graphql([{"type": "NOT_FOUND", "message": "Could not resolve"}], data={"repository": None})
    assert isinstance(understand_graphql(told, asked()), Retry)
    assert understand_graphql(told, asked(2)) == ABSENT


@pytest.mark.parametrize(("errors", "votes"), [
    ([{"type": "FORBIDDEN", "message": "Resource not accessible", "extensions": {"saml_failure": False}}],
     "Add to permissions in the workflow: contents: read"),
    ([{"type": "INSUFFICIENT_SCOPES", "message": "Your token"}], "Add to permissions in the workflow"),
    ([{"message": "Field 'x' doesn't exist on type 'Y'", "extensions": {"code": "undefinedField"}}],
     "On GitHub Enterprise Server: update it"),
    ([{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": "too many nodes"}], "too much for one question (too many nodes)"),
    ([{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "too much"}], "too much for one question (too much)"),
])  # fmt: skip
def test_graphql__what_no_repetition_mends_says_what_to_do(errors: object, votes: str) -> None:
    with pytest.raises(GitHubError) as caught:
        understand_graphql(graphql(errors, data={"repository": {}}), asked())
    assert votes in str(caught.value)


@pytest.mark.parametrize("told", [answer(502), answer(504), graphql([{"message": "timeout"}])])
def test_divisible__what_fails_again_is_too_much_at_once(told: Answer) -> None:
    assert isinstance(understand_divisible(told, asked()), Retry)
    with pytest.raises(TooLargeError):
        understand_divisible(told, asked(2))


def test_divisible__a_limit_is_no_sign_of_too_much() -> None:
    assert isinstance(understand_divisible(answer(429), asked(3)), Retry)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 502])
def test_graphql__statuses_mean_the_same(status: int) -> None:
    def meaning(of: object) -> object:
        try:
            return of()  # type: ignore[operator]
        except GitHubError as error:
            return str(error)

    told = answer(status, {"message": "no"})
    assert meaning(lambda: understand_graphql(told, asked())) == meaning(lambda: understand(told, asked()))


@pytest.mark.parametrize("failure", [KeyError("nodes"), TypeError("no"), AttributeError("no"), ValueError("no")])
def test_as_documented__what_an_answer_lacks_is_the_failure_of_github(failure: Exception) -> None:
    with (
        pytest.raises(GitHubError, match="octo/shop#7: GitHub's answer is not as it documents"),
        as_documented("octo/shop#7"),
    ):
        raise failure


@pytest.mark.parametrize("failure", [MovedError("x"), GitHubError("x"), MissingError("x")])
def test_as_documented__leaves_the_rest_alone(failure: Exception) -> None:
    with pytest.raises(type(failure)) as caught, as_documented("octo/shop#7"):
        raise failure
    assert caught.value is failure
