"""What holds for every test: no network but loopback, and nothing that differs from run to run."""

from __future__ import annotations

import gc
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests import chance

STYLESHEET = "tests/node_modules/github-markdown-css/github-markdown-light.css"
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Fail the test that looks up or talks to another machine; an audit hook, so that no library gets past it."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host and host not in LOOPBACK:
        # not an Exception, so that code which survives a lost connection does not survive this
        pytest.fail(f"a test reached for the network: {host!r}")


sys.addaudithook(refuse_network)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let what is expected be written anew, to be read as a difference."""
    parser.addoption("--update-cases", action="store_true", help="write tests/cases anew from the case book")
    parser.addoption("--search", type=int, metavar="SEED", help="draw from this seed, and more than usual")
    parser.addoption("--browser", default="chromium", help="the Chromium that tests/pictures.py uses")
    parser.addoption("--stylesheet", default=STYLESHEET, help="GitHub's stylesheet for the pictures")
    parser.addoption("--save-pictures", action="store_true", help="make docs/pictures anew")


def pytest_configure(config: pytest.Config) -> None:
    """Fix chance; write expectations before any test runs, and once, however many processes run the tests."""
    chance.fix_chance(config.getoption("--search"))
    config.addinivalue_line("markers", "seeds(count): run the test with so many values of its argument `seed`")
    config.addinivalue_line("markers", "sampled(step): of its many cases run one in so many, and all in a search")
    if config.getoption("--update-cases") and not hasattr(config, "workerinput"):
        from tests.casebook.update import update  # noqa: PLC0415  (nothing that a plain run should wait for)

        update()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that draws by itself its seeds."""
    for marker in metafunc.definition.iter_markers("seeds"):
        metafunc.parametrize("seed", chance.seeds(marker.args[0], metafunc.config.getoption("--search")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of the fixed sample; a search, and who asks for tests by name, gets every case."""
    if config.getoption("--search") is not None or config.getoption("keyword"):
        return
    met, left = Counter[str](), []
    for item in items:
        marker, function = item.get_closest_marker("sampled"), item.nodeid.partition("[")[0]
        left += [item] if marker is not None and met[function] % marker.args[0] else []
        met[function] += 1
    config.hook.pytest_deselected(items=left)
    out = set(left)
    items[:] = [item for item in items if item not in out]


def pytest_collection_finish() -> None:
    """Let Python look for garbage as rarely as the program does, and never again among the cases of the tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


@pytest.fixture(scope="session")
def release_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository to make releases from."""
    from tests.integration.releases import make_source  # noqa: PLC0415  (nothing that other tests should wait for)

    if shutil.which("git") is None:
        pytest.skip("a release is made with git, which is not installed")
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="session")
def release_tree(release_source: Path) -> Path:
    """A release for all Pythons of this machine, at a path with spaces."""
    from tests.integration.releases import every_python, release  # noqa: PLC0415  (nothing that others should wait for)

    out = release_source.parent / "a release" / "v 1"
    done = release(release_source, out, *every_python())
    assert done.returncode == 0, done.stderr
    return out
