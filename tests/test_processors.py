"""Processors that a process may use: not those that its affinity or its container forbids."""

import os

import pytest

from alquerque_env import processors
from alquerque_env.processors import count_processors
from alquerque_env.solve.tables.threads import ThreadPool


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A folder of control groups, for a process that may use eight processors."""
    monkeypatch.setattr(processors, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(processors, "GROUPS_OF_PROCESS", tmp_path / "own")
    name = next(name for name in ("process_cpu_count", "sched_getaffinity", "cpu_count") if hasattr(os, name))
    monkeypatch.setattr(os, name, (lambda _pid: range(8)) if name == "sched_getaffinity" else lambda: 8)
    return tmp_path


def write(folder, text, **files):
    """Writes the groups of the process, and files of a group by their names with `__` for a folder."""
    (folder / "own").write_text(text)
    for name, content in files.items():
        path = folder / "cgroup" / name.replace("__", "/").replace("cpu_", "cpu.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def test_without_a_limit_all_processors_count(groups):
    assert count_processors() == 8
    write(groups, "0::/\n", cpu_max="max 100000\n")
    assert count_processors() == 8
    write(groups, "1:cpu:/\n", cpu__cpu_cfs_quota_us="-1\n", cpu__cpu_cfs_period_us="100000\n")
    assert count_processors() == 8
    write(groups, "nonsense\n")
    assert count_processors() == 8


@pytest.mark.parametrize(("quota", "found"), [(400_000, 4), (150_000, 2), (20_000, 1), (3_200_000, 8)])
@pytest.mark.parametrize("version", [1, 2])
def test_the_quota_of_a_container_counts(groups, version, quota, found):
    if version == 2:
        write(groups, "0::/\n", cpu_max=f"{quota} 100000\n")
    else:
        text = "5:memory:/\n3:cpu,cpuacct:/\n0::/\n"
        write(groups, text, cpu__cpu_cfs_quota_us=f"{quota}\n", cpu__cpu_cfs_period_us="100000\n")
    assert count_processors() == found


def test_the_least_quota_of_a_group_and_those_around_it_counts(groups):
    write(groups, "0::/a/b\n", a__b__cpu_max="max 100000\n", a__cpu_max="300000 100000\n", cpu_max="500000 100000\n")
    assert count_processors() == 3


def test_a_group_whose_path_is_that_outside_of_the_container_is_the_root(groups):
    write(groups, "0::/docker/1234/../..\n", cpu_max="200000 100000\n")
    assert count_processors() == 2


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes are bound to processors on Linux")
def test_a_process_bound_to_one_processor_plans_for_one():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert count_processors() == 1
        with ThreadPool() as pool:
            assert pool.threads == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_the_processors_of_this_process_are_some_of_those_of_the_machine():
    assert 1 <= count_processors() <= os.cpu_count()
