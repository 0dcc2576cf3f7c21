"""Work spread over a cluster of Ray: three nodes on the loopback address, of which some die."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import alquerque_env
from alquerque_env import load_game
from alquerque_env.arena import Settings, play_arena
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, UnknownNameError
from alquerque_env.progress import Progress

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytest.importorskip("choix")

import ray

from alquerque_env.adapters.ray import connect
from alquerque_env.adapters.ray.cluster import ray_prints_to_stderr
from tests.ray_nodes import Nodes

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="Ray's clusters for tests do not run on Windows"),
    pytest.mark.filterwarnings("ignore"),  # of Ray
]

FETAIX = load_game("fetaix")
MATCHES = ["arena", "fetaix", "random", "greedy", "--plies", "7", "--judge", "random", "--json"]
TOKEN = "0123456789abcdef" * 3


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    cluster = Nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def killing(nodes: Nodes, *moments: int) -> Callable[[Progress], None]:
    """Returns a watch that replaces a node whenever so much has been done."""
    left = list(moments)

    def watch(progress: Progress) -> None:
        if left and progress.done >= left[0]:
            del left[0]
            nodes.replace_one()

    return watch


@pytest.mark.slow
def test_an_arena_on_dying_nodes_equals_the_undisturbed_one(nodes: Nodes, tmp_path: Path) -> None:
    bots = ["random", "greedy", "alphabeta:2"]
    settings = Settings(games=60, plies=7, seed=3, judge="random", batch=4, resamples=20)
    with connect(nodes.address) as cluster, cluster.executor() as executor:
        watch = killing(nodes, 12, 90)
        far = play_arena(FETAIX, bots, settings, output=tmp_path / "far", executor=executor, watch=watch)
    here = play_arena(FETAIX, bots, settings, output=tmp_path / "here")

    assert far == here
    assert (tmp_path / "far").read_bytes() == (tmp_path / "here").read_bytes()


@pytest.mark.slow
def test_the_command_prints_json_alone_while_a_node_dies(nodes: Nodes) -> None:
    words = [*MATCHES, "--games", "60", "--batch", "4"]
    here = CliRunner().invoke(main, words)
    process = subprocess.Popen(
        [sys.executable, "-m", "alquerque_env", *words, f"--ray={nodes.address}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = iter(process.stderr.readline, "")  # Ray may warn first
    assert f"Ray at {nodes.address}: 3 CPUs\n" in said
    nodes.replace_one()
    output, error = process.communicate(timeout=120)

    assert process.returncode == 0, error
    assert json.loads(output) == json.loads(here.stdout)


def test_what_rays_threads_print_goes_to_the_error_output(capsys: pytest.CaptureFixture[str]) -> None:
    with ray_prints_to_stderr():
        thread = threading.Thread(target=print, args=["(raylet) terminated"], name="ray_listen_error_messages")
        thread.start()
        thread.join()
        print("a result")

    assert capsys.readouterr() == ("a result\n", "(raylet) terminated\n")


@pytest.mark.slow
def test_errors_of_tasks_arrive_as_themselves(nodes: Nodes) -> None:
    with connect(nodes.address) as cluster, cluster.executor() as executor:
        failed = executor.submit(load_game, "chess"), executor.submit(int, "one")
        assert executor.submit(os.getenv, "CUDA_VISIBLE_DEVICES").result() == ""
        with pytest.raises(UnknownNameError, match="no game 'chess'"):
            failed[0].result()
        with pytest.raises(ValueError, match="'one'") as caught:
            failed[1].result()
        assert "Traceback" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(int)


@pytest.mark.slow
def test_a_connection_that_exists_is_used_and_left_open(nodes: Nodes) -> None:
    with connect(nodes.address):
        with connect() as cluster:
            assert cluster.address == nodes.address
            assert cluster.cpus == 3
        assert ray.is_initialized()
        with pytest.raises(AlquerqueError, match=f"is connected to Ray at {nodes.address}"), connect("127.0.0.1:9"):
            pass
    assert not ray.is_initialized()


# What is refused


def refused(address: str, **options: Any) -> str:
    """Connects; returns why that is refused."""
    with pytest.raises(AlquerqueError) as caught, connect(address, **options):
        pass
    assert not ray.is_initialized()
    return str(caught.value)


@pytest.mark.parametrize("address", ["", "auto", "here", "host:", "host:0", "host:99999", ":1", "a b:1", "http://h:1"])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    assert "is not the address of a Ray cluster: expected HOST:PORT" in refused(address)


def test_an_address_of_the_ray_client_is_refused() -> None:
    assert "is an address of the Ray client" in refused("ray://127.0.0.1:10001")


@pytest.mark.slow
def test_an_address_where_no_ray_listens_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert refused(address).startswith(f"what listens at {address} does not answer as the head of a Ray cluster")
    assert refused(address).startswith(f"no Ray cluster at {address}: ")


# In processes of their own: Ray reads the mode when it is imported.
GUARDED = """
from ray.cluster_utils import Cluster

cluster = Cluster()
cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1", include_dashboard=False)
print(cluster.address, flush=True)
input()
cluster.shutdown()
"""


@pytest.mark.slow
def test_a_wrong_token_is_refused() -> None:
    right, wrong = ({**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token} for token in (TOKEN, TOKEN[::-1]))
    words = [sys.executable, "-m", "alquerque_env", "arena", "fetaix", "random", "greedy", "--games", "2", "--ray"]
    with subprocess.Popen(
        [sys.executable, "-c", GUARDED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=right
    ) as cluster:
        assert cluster.stdout is not None
        address = cluster.stdout.readline().strip()
        done = [
            subprocess.run([*words, address], capture_output=True, text=True, env=env, timeout=120)
            for env in (wrong, right)
        ]
        cluster.communicate("end\n")

    assert [each.returncode for each in done] == [2, 0]
    assert f"the Ray cluster at {address} refuses the token of this process: set RAY_AUTH_MODE=token" in done[0].stderr


@pytest.mark.slow
def test_a_cluster_without_room_is_refused(nodes: Nodes) -> None:
    assert (
        f"has no room: 3 of its 3 CPUs are free, expected 4; add nodes with `ray start --address={nodes.address}`"
        in (refused(nodes.address, cpus=4))
    )


@pytest.mark.slow
def test_a_node_with_another_version_of_the_package_is_refused(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Ray lets workers import from the driver's folder
    other = tmp_path / "other"
    shutil.copytree(Path(alquerque_env.__file__).parent, other / "alquerque_env")
    init = other / "alquerque_env" / "__init__.py"
    init.write_text(re.sub(r'__version__ = ".*"', '__version__ = "0.0.1"', init.read_text()))
    node = nodes.add(env_vars={"PYTHONPATH": str(other)})
    try:
        assert "has alquerque-env 0.0.1, this process has" in refused(nodes.address)
    finally:
        nodes.remove(node)


@pytest.mark.slow
def test_without_an_address_ray_runs_on_this_machine_alone(tmp_path: Path) -> None:
    words = [*MATCHES, "--games", "4"]
    unset = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(
        [sys.executable, "-m", "alquerque_env", *words, "--ray"],
        capture_output=True,
        text=True,
        env=unset | {"HOME": str(tmp_path)},
        timeout=120,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(CliRunner().invoke(main, words).stdout)
    assert "Ray at 127.0.0.1:" in done.stderr
