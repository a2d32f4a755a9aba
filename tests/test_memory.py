"""The memory that can be had is the least that machine, container and process leave."""

import pytest

from commands import run_python
from predfeat._memory import available_memory, in_words

resource = pytest.importorskip("resource")  # not on Windows

GB = 10**9
MACHINE = 8 * GB


@pytest.fixture(autouse=True)
def no_limits_of_our_own(monkeypatch):
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: unlimited)


def system(folder, files):
    """Make a folder that looks like the root of a machine with 8 GB free."""
    told = {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {MACHINE // 1024} kB\n", **files}
    for name, content in told.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(content))
    return folder


def group(where, **numbers):
    return {f"sys/fs/cgroup/{where}memory.{name}": text for name, text in numbers.items()}


SECOND = {
    "no group": ({}, MACHINE),
    "no limit": (group("a/b/", max="max", high="max", current=GB), MACHINE),
    "own group": (group("a/b/", max=3 * GB, high="max", current=GB), 2 * GB),
    "throttled": (group("a/b/", max=3 * GB, high=2 * GB, current=GB), GB),
    "group around it": (
        {**group("a/b/", max="max", current=GB), **group("a/", max=4 * GB, current=3 * GB)},
        GB,
    ),
    "the host's path": (group("", max=3 * GB, current=GB), 2 * GB),
    "files that can be dropped": (
        group("a/b/", max=3 * GB, current=2 * GB, stat=f"anon 5\ninactive_file {GB}\n"),
        2 * GB,
    ),
    "used up": (group("a/b/", max=GB, current=2 * GB), 0),
    "beside the first version": (group("unified/a/b/", max=2 * GB, current=GB), GB),
}


@pytest.mark.parametrize("case", SECOND)
def test_control_groups_of_version_2(case, tmp_path):
    files, expected = SECOND[case]
    root = system(tmp_path, {"proc/self/cgroup": "0::/a/b\n", **files})
    assert available_memory(root) == pytest.approx(expected, abs=2000)


NO_LIMIT = 0x7FFFFFFFFFFFF000
FIRST = {
    "no limit": (group("memory/a/b/", limit_in_bytes=NO_LIMIT, usage_in_bytes=GB), MACHINE),
    "own group": (group("memory/a/b/", limit_in_bytes=3 * GB, usage_in_bytes=GB), 2 * GB),
    "group around it": (group("memory/a/", limit_in_bytes=3 * GB, usage_in_bytes=GB), 2 * GB),
    "the host's path": (group("memory/", limit_in_bytes=3 * GB, usage_in_bytes=GB), 2 * GB),
    "group out of sight": (
        group(
            "memory/", limit_in_bytes=NO_LIMIT, usage_in_bytes=GB,
            stat=f"hierarchical_memory_limit {2 * GB}\ntotal_inactive_file {GB // 2}\n",
        ),
        3 * GB // 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIRST)
def test_control_groups_of_version_1(case, tmp_path):
    files, expected = FIRST[case]
    lines = "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n"
    root = system(tmp_path, {"proc/self/cgroup": lines, **files})
    assert available_memory(root) == pytest.approx(expected, abs=2000)


@pytest.mark.parametrize(("limit", "field"), [("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)])
def test_limits_of_the_process(limit, field, tmp_path, monkeypatch):
    own = getattr(resource, limit)
    none = resource.RLIM_INFINITY
    limits = {own: (3 * GB, none)}
    monkeypatch.setattr(resource, "getrlimit", lambda name: limits.get(name, (none, none)))
    pages = [0] * 7
    pages[field] = GB // resource.getpagesize()
    root = system(tmp_path, {"proc/self/statm": " ".join(map(str, pages))})
    assert available_memory(root) == pytest.approx(2 * GB, abs=10_000)


def test_what_the_system_tells_wrongly_is_passed_over(tmp_path):
    root = system(tmp_path, {"proc/self/cgroup": "0::/../..\n", **group("", max="?", current="")})
    assert available_memory(root) == pytest.approx(MACHINE, abs=2000)


def test_a_real_limit_counts():
    code = (
        "import resource; from predfeat._memory import available_memory; "
        "resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, -1)); print(available_memory())"
    )
    assert 0 <= int(run_python(code)) < 6 * 2**30


@pytest.mark.parametrize(
    ("n_bytes", "words"), [(999, "999 bytes"), (1500, "1.5 kB"), (2 * GB, "2 GB"), (3e12, "3 TB")]
)
def test_bytes_in_words(n_bytes, words):
    assert in_words(n_bytes) == words
