"""The oracle itself: it must see what is alive, or the tests that rely on it prove nothing."""

from __future__ import annotations

from tests.unit.report.oracle import NASTY, commands, rendering

LIVE_TAGS = {"a", "img", "script", "b", "h1", "pre", "table", "em", "del", "ol"}


def test_rendering__sees_links_images_and_html() -> None:
    alive = [rendering(text) for text in NASTY if "\ud800" not in text]
    assert {tag for one in alive for tag in one.tags} >= LIVE_TAGS
    assert {link.split(":")[0] for one in alive for link in one.links} == {"https", "http", "mailto"}


def test_rendering__tells_words_outside_code() -> None:
    shown = rendering("one `two` **three** `four`")
    assert (shown.loose.split(), shown.codes) == (["one", "three"], ("two", "four"))


def test_rendering__sees_more_than_80_back_ticks_come_alive() -> None:
    edge = "`" * 81
    assert "b" in rendering(f"{edge} <b>x</b> {edge}").tags


def test_commands__sees_both_forms() -> None:
    assert commands("a\n ::error::x\nb ##[error]y\n: :z") == [" ::error::x", "b ##[error]y"]
