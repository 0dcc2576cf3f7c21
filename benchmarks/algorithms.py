"""Trains algorithms of other libraries and of this package, and measures by exact values how often they choose wrongly.

python benchmarks/algorithms.py run                                     trains all that have no result yet
python benchmarks/algorithms.py run cleanrl_ppo --game pretwa --seed 1  trains some
python benchmarks/algorithms.py report                                  writes the tables and pictures of the docs and
                                                                        the rows of the leaderboard

Other libraries are trained by their examples, each in the environment that `examples/run` makes for it. A result is
written when its run is complete: one file in `benchmarks/algorithm_runs`, and a run that has a file is skipped. After
Ctrl-C the same command begins the run that was stopped again, and keeps the others.
"""

import importlib
import json
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import SourceFileLoader
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from alquerque_env import load_game
from alquerque_env.arena.exact_errors import KINDS, NATURAL, UNIFORM, ExactErrors, draw_critical, summarise_choices
from alquerque_env.arena.exploit.best_response import best_response
from alquerque_env.arena.figures import make_figure, save_figure
from alquerque_env.arena.match_runner import choose_many
from alquerque_env.benchmark.protocol import load_protocol
from alquerque_env.bots.policy import PolicyBot
from alquerque_env.cli.console.signals import exit_on_signals
from alquerque_env.errors import BotError
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_env.match.match import Match
from alquerque_env.search.puct import EXPLORATION
from alquerque_env.solve.tables.whole import whole_command, whole_table

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
RESULTS = ROOT / "benchmarks" / "algorithm_runs"
PAGE = ROOT / "docs" / "benchmark.md"
ROWS = ROOT / "benchmarks" / "algorithms.md"
"""Rows for the leaderboard, which takes up every page of its folder."""
PICTURES = ROOT / "docs" / "images"
PLACE = re.compile(r"(<!-- algorithms in (\w+) -->\n).*?(<!-- end of algorithms -->)", re.DOTALL)

GAMES = ("felli_simplified", "pretwa")
SEEDS = (0, 1, 2)
MEASURED = (0, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
"""Steps after which a policy is measured: at its next update."""
SHOWN = (50_000, 200_000)
"""Steps of the columns of the table, before that of the end."""
AREA_STEPS, AREA_SECONDS = 50_000, 60.0
"""Up to where the curves of the regret are averaged."""
SIMULATIONS = 64
RESPONSE_SECONDS = 60.0
AT_ONCE = 4_096
OTHER_RULER = (
    "These figures are of an earlier ruler: the first 2,000 positions of each kind on the way and with a search, which "
    "are common ones, and all of them at the end. So the last point of a curve, the columns *after*, the rows with a "
    "search and the end cannot be compared with each other. All will be measured again.\n"
)
"""Stands above results whose points were not all measured in the same positions."""


@dataclass(frozen=True)
class Algorithm:
    """What is trained.

    Attributes:
      title: Its name in tables.
      library: The distribution that has it.
      against: What it trains against.
      steps: How many steps: a million, or fewer if that takes many minutes.
      config: Name of a config and overrides, for an algorithm of this package; else its example has its name.
      searches: Whether it is measured with a search as well.
    """

    title: str
    library: str
    against: str
    steps: int = 1_000_000
    config: tuple[str, ...] = ()
    searches: bool = False


FAMILY = "alquerque-env"
PPO = ("quickstart", "self_play.num_games=256", "ppo.minibatch_size=1024")
ALPHAZERO = (
    *("small", "self_play.num_games=128", "self_play.rollout_steps=32", "search.simulations=16"),
    *("alphazero.processes=1", "alphazero.warmup_positions=4000", "alphazero.batch_size=512"),
)
PUCT = (*ALPHAZERO, "search.rule=puct", "search.root_noise=0.25")
ALGORITHMS = {
    "ppo": Algorithm("PPO", FAMILY, "itself", config=PPO),
    "cleanrl_ppo": Algorithm("PPO as in CleanRL", "torch", "itself"),
    "exact": Algorithm("exact values", FAMILY, "table", config=("exact",)),
    "maskable_ppo_self_play": Algorithm("MaskablePPO", "sb3-contrib", "earlier copies"),
    "alphazero_gumbel": Algorithm("AlphaZero, Gumbel", FAMILY, "itself", config=ALPHAZERO, searches=True),
    "alphazero_puct": Algorithm("AlphaZero, PUCT", FAMILY, "itself", config=PUCT, searches=True),
    "rllib_ppo": Algorithm("PPO of RLlib", "ray", "itself", steps=50_000),
    "masked_dqn": Algorithm("DQN of Tianshou", "tianshou", "itself, 10% random", steps=50_000),
    "openspiel_dqn": Algorithm("DQN of OpenSpiel", "open_spiel", "itself, 10% random", steps=50_000),
    "torchrl_ppo": Algorithm("PPO of TorchRL", "torchrl", "itself", steps=50_000),
}
"""In the order in which they are trained, the quick ones first."""


class Run(NamedTuple):
    """One training."""

    name: str
    game: str
    seed: int

    def path(self, folder: Path) -> Path:
        """The file of its result: JSON, on one line so that no leaderboard of agents takes it for one of its own."""
        return folder / self.game / f"{self.name}-{self.seed}.jsonl"


class Ruler:
    """Fixed critical positions of a game, by which policies are measured: all of the exact track, or the first ones."""

    def __init__(self, game: Game, positions: int | None = None) -> None:
        exact = load_protocol().exact
        self._game = game
        self._seed, self._positions = exact.seed, positions or exact.positions

    @cached_property
    def _drawn(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        table = whole_table(self._game)
        if table is None:
            built = whole_command(self._game)
            raise click.ClickException(f"there is no table of {self._game.name}: build it with {built}")
        return {kind: draw_critical(table, self._positions, kind, self._seed) for kind in KINDS}

    def measure(self, bot: Any) -> dict[str, dict[str, Any]]:
        """The errors of a bot in all positions of each kind."""
        found = {}
        for kind, (states, values) in self._drawn.items():
            chosen = []
            for first in range(0, len(states), AT_ONCE):
                asked = [Match.from_state(self._game, state) for state in states[first : first + AT_ONCE]]
                chosen += [step.action for step in choose_many(bot, asked)]
            found[kind] = _as_dict(summarise_choices(values, np.array(chosen, np.int64), self._seed))
        return found

    def respond(self, bot: Any) -> list[dict[str, Any]] | None:
        """The best response to a bot; None if it does not choose alike when asked again."""
        try:
            found = best_response(bot, self._game, seconds=RESPONSE_SECONDS)
        except BotError:
            return None
        names = "seat", "kept", "complete", "positions"
        return [{**{name: getattr(each, name) for name in names}, "steps": len(each.line)} for each in found]


def _as_dict(errors: ExactErrors) -> dict[str, Any]:
    shares = {
        name: [round(value, 5) for value in (each.value, each.low, each.high)]
        for name, each in (("wrong", errors.wrong), ("regret", errors.regret))
    }
    return {"positions": errors.positions, **shares}


# Training


class Trained(NamedTuple):
    """What a training has come to."""

    steps: int
    bot: Any  # plays the policy alone
    network: Any = None  # of this package


def measure_run(run: Run, steps: int, watch: Callable[[str], None], ruler: Ruler | None = None) -> dict[str, Any]:
    """Trains, and measures the policy by one ruler on the way, at the end and with a search."""
    algorithm, game = ALGORITHMS[run.name], load_game(run.game)
    ruler = ruler or Ruler(game)
    due = [*(point for point in MEASURED if point < steps), steps]
    points: list[dict[str, Any]] = []
    seconds, begun = 0.0, time.process_time()
    for trained in (_train_own if algorithm.config else _train_example)(run, game, steps):
        seconds += time.process_time() - begun if trained.steps else 0.0  # without loading and compiling
        if is_last := trained.steps >= steps:
            due = due[-1:]
        if trained.steps >= due[0]:
            found = ruler.measure(trained.bot)
            points.append({"steps": trained.steps, "seconds": round(seconds, 2), **found})
            due = [point for point in due if point > trained.steps]
            wrong = found[NATURAL]["wrong"][0]
            watch(f"{trained.steps:>9,} steps, {seconds:6.1f} s, wrong in {wrong:.1%} of the natural positions")
        if is_last:
            break
        begun = time.process_time()
    ends = {"steps": AREA_STEPS, "seconds": AREA_SECONDS}
    result = {
        **run._asdict(),
        "library": f"{algorithm.library} {version(algorithm.library)}",
        "against": algorithm.against,
        "processor": _processor(),
        "python": platform.python_version(),
        "points": points,
        "response": ruler.respond(trained.bot),
        "area": {kind: {over: _area(points, kind, over, end) for over, end in ends.items()} for kind in KINDS},
    }
    if algorithm.searches:
        bot = _with_search(game, trained.network)
        result["search"] = {"simulations": SIMULATIONS, **ruler.measure(bot), "response": ruler.respond(bot)}
    return result


def _train_example(run: Run, game: Game, steps: int) -> Iterator[Trained]:
    sys.path.insert(0, str(EXAMPLES))
    for done, policy in importlib.import_module(run.name).train(run.game, steps=steps, seed=run.seed):
        yield Trained(int(done), PolicyBot(game, policy, observation="flat", batched=True))


def _train_own(run: Run, game: Game, steps: int) -> Iterator[Trained]:
    from alquerque_training import load_config
    from alquerque_training.measure.evaluate import greedy_policy
    from alquerque_training.run.learner import make_learner

    name, *overrides = ALGORITHMS[run.name].config
    given = [f"run.game={run.game}", f"run.seed={run.seed}", f"run.total_steps={steps}"]
    learner = make_learner(load_config(name, [*overrides, *given]), game)
    while True:
        bot = PolicyBot(game, greedy_policy(learner.network), batched=True)
        yield Trained(learner.steps, bot, learner.network)
        learner.iterate()


def _with_search(game: Game, network: Any) -> Any:
    """A bot that searches with a network of this package."""
    from alquerque_training.checkpoints.torch_bot import make_network_bot

    return make_network_bot("search", game, network, SIMULATIONS, exploration=EXPLORATION)


def _area(points: Sequence[Mapping[str, Any]], kind: str, over: str, end: float) -> float:
    """The mean regret up to `end`: linear between points, and that of the last point after it."""
    places = np.array([point[over] for point in points], float)
    regrets = np.array([point[kind]["regret"][0] for point in points])
    inner = places < end
    at = np.concatenate([places[inner], [end]])
    return round(float(np.trapezoid(np.interp(at, places, regrets), at) / end), 5)


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor()


def _python_of(name: str) -> str:
    """The interpreter that has what an algorithm needs."""
    if ALGORITHMS[name].config:
        return sys.executable
    loader = SourceFileLoader("run_examples", str(EXAMPLES / "run"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return str(module.prepare(name))


# Reports


def read_results(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The results by name of algorithm, in the order of `ALGORITHMS`."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name in ALGORITHMS:
        paths = sorted(folder.glob(f"{name}-*.jsonl"))
        if results := [json.loads(path.read_text(encoding="utf-8")) for path in paths]:
            found[name] = results
    return found


def write_table(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The table of a game: those that choose wrongly in the fewest natural positions at the end come first."""
    head = [
        *("algorithm", "trains against", "steps", *(f"after {_short(steps)}" for steps in SHOWN)),
        *("at the end", "uniform", "regret", "kept", "mean regret, steps", "mean regret, time", "time"),
    ]
    rows: list[tuple[float, list[str]]] = []
    for name, runs in results.items():
        algorithm, last = ALGORITHMS[name], [run["points"][-1] for run in runs]
        label = f"{algorithm.title} ({runs[0]['library']})"
        cells = [label, runs[0]["against"], _short(max(each["steps"] for each in last))]
        cells += [_spread([_wrong_after(run, steps) for run in runs]) for steps in SHOWN]
        areas = [_mean([run["area"][NATURAL][over] for run in runs]) for over in ("steps", "seconds")]
        time = f"{np.mean([each['seconds'] for each in last]):.0f} s"
        rows.append((_wrong(last), [*cells, *_errors(last), _kept([run["response"] for run in runs]), *areas, time]))
        if found := [run["search"] for run in runs if "search" in run]:
            label = f"{algorithm.title}, with {found[0]['simulations']} simulations"
            cells = [label, runs[0]["against"], cells[2], *["–"] * len(SHOWN)]
            kept = _kept([each["response"] for each in found])
            rows.append((_wrong(found), [*cells, *_errors(found), kept, *["–"] * 3]))
    lines = [head, ["---"] * 3 + ["---:"] * (len(head) - 3), *(cells for _, cells in sorted(rows))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _wrong(measured: Sequence[Mapping[str, Any]]) -> float:
    return float(np.mean([each[NATURAL]["wrong"][0] for each in measured]))


def _errors(measured: Sequence[Mapping[str, Any]]) -> list[str]:
    """Wrong choices in natural and uniform positions, and the regret in natural ones."""
    wrong = [_spread([each[kind]["wrong"][0] for each in measured]) for kind in (NATURAL, UNIFORM)]
    return [*wrong, _mean([each[NATURAL]["regret"][0] for each in measured])]


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f}"


def _wrong_after(run: Mapping[str, Any], steps: int) -> float | None:
    """The share of wrong choices in natural positions at the first measurement after so many steps."""
    return next((point[NATURAL]["wrong"][0] for point in run["points"] if point["steps"] >= steps), None)


def _spread(shares: Iterable[float | None]) -> str:
    known = [share for share in shares if share is not None]
    if not known:
        return "–"
    mean = f"{np.mean(known):.1%}"
    return mean if len(known) == 1 else f"{mean} ({100 * min(known):.1f} to {100 * max(known):.1f})"


def _short(steps: int) -> str:
    return f"{steps / 1e6:.2g} M" if steps >= 1_000_000 else f"{steps / 1000:.0f} k"


def _kept(responses: Sequence[Sequence[Mapping[str, Any]] | None]) -> str:
    """In how many runs nobody gets more than the start is worth, of those in which that is known for every seat."""
    found = [[each["kept"] for each in seats] for seats in responses if seats is not None]
    known = [all(seats) for seats in found if False in seats or None not in seats]
    return f"{sum(known)} of {len(known)}" if known else "–"


def filled(text: str) -> str:
    """A page with tables and pictures of the results."""
    return PLACE.sub(lambda place: f"{place[1]}\n{_section(place[2])}\n{place[3]}", text)


def _section(game: str) -> str:
    results = read_results(RESULTS / game)
    if not results:
        return "No run is complete yet.\n"
    picture = f"![Regret over steps and over processor time in {game}](images/{picture_of(game).name})"
    note = "" if has_one_ruler(results) else f"{OTHER_RULER}\n"
    return f"{note}{write_table(results)}\n{picture}\n"


def leaderboard_rows() -> str:
    """The ends of all runs for the leaderboard, each with its command. They come from the files of the runs."""
    parts = [
        "## Algorithms of several libraries\n",
        "Networks of other libraries and of this package at the end of their training, in the same positions as the "
        "agents above, with three seeds each: means, with the least and the greatest. Neither weights nor choices were "
        "kept, so `alquerque benchmark check` cannot ask them again. The command of a row trains and measures what has "
        "no file in `benchmarks/algorithm_runs`. `docs/benchmark.md` shows how they learned.\n",
    ]
    head = ["algorithm", "library", *("wrong, natural", "wrong, uniform", "regret"), "kept", "steps", "time", "command"]
    for game in GAMES:
        rows = []
        for name, runs in read_results(RESULTS / game).items():
            last = [run["points"][-1] for run in runs]
            train = f"`python benchmarks/algorithms.py run {name} --game {game}`"
            times = f"{np.mean([each['seconds'] for each in last]):.0f} s"
            cells = [
                ALGORITHMS[name].title,
                runs[0]["library"],
                *_errors(last),
                _kept([run["response"] for run in runs]),
            ]
            rows.append((_wrong(last), [*cells, _short(max(each["steps"] for each in last)), times, train]))
        lines = [head, ["---"] * 2 + ["---:"] * 6 + ["---"], *(cells for _, cells in sorted(rows))]
        parts += [f"**{load_game(game).title}**\n", "".join(f"| {' | '.join(cells)} |\n" for cells in lines)]
    return "\n".join(parts)


def has_one_ruler(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Whether all points of all runs, and those with a search, were measured in as many positions of each kind."""
    runs = [run for found in results.values() for run in found]
    measured = [point for run in runs for point in (*run["points"], *([run["search"]] if "search" in run else []))]
    return len({tuple(point[kind]["positions"] for kind in KINDS) for point in measured}) == 1


def picture_of(game: str) -> Path:
    """The picture of a game."""
    return PICTURES / f"algorithms_{game}.png"


def draw(game: str, results: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Draws the regret of all algorithms over steps and over processor time."""
    from matplotlib import colormaps

    figure = make_figure(10, 5.6, f"{game}: regret in natural critical positions, mean of the seeds", dpi=90)
    panels = figure.subplots(1, 2, sharey=True)
    colours, marks = colormaps["tab10"].colors, "os^Dvs^Dvo"
    for number, (name, runs) in enumerate(results.items()):
        count = min(len(run["points"]) for run in runs)
        cut = [run["points"][:count] for run in runs]
        values, low, high = (
            np.array([[point[NATURAL]["regret"][place] for point in points] for points in cut]) for place in range(3)
        )
        for axes, over in zip(panels, ("steps", "seconds"), strict=True):
            at = np.mean([[point[over] for point in points] for points in cut], 0)
            style = {"color": colours[number], "marker": marks[number], "markersize": 4}
            axes.plot(at[1:], values.mean(0)[1:], label=ALGORITHMS[name].title, **style)
            axes.fill_between(at[1:], low.min(0)[1:], high.max(0)[1:], color=colours[number], alpha=0.15, linewidth=0)
    for axes, label in zip(panels, ("steps", "seconds of processor time"), strict=True):
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("mean value lost by a choice")
    panels[0].set_ylim(bottom=0)
    lines = sorted(panels[0].get_lines(), key=lambda line: line.get_ydata()[-1])  # as in the table
    figure.legend(handles=lines, loc="outside lower center", ncols=4, frameon=False)
    save_figure(figure, picture_of(game))


# Command line


@click.group()
def main() -> None:
    """Trains algorithms in solved games, and measures their errors by exact values."""


def _chosen(names: Sequence[str], games: Sequence[str], seeds: Sequence[int]) -> Iterator[Run]:
    """One seed of everything in one game comes first."""
    for game in games or GAMES:
        for seed in seeds or SEEDS:
            for name in names or ALGORITHMS:
                yield Run(name, game, seed)


@main.command()
@click.argument("names", nargs=-1, type=click.Choice(list(ALGORITHMS)))
@click.option("--game", "games", multiple=True, type=click.Choice(GAMES), help="A game; both by default.")
@click.option("--seed", "seeds", multiple=True, type=int, help="A seed; 0, 1 and 2 by default.")
@click.option("--steps", type=click.IntRange(1), help="Steps of a run, instead of those of the algorithm.")
@click.option("--folder", type=click.Path(path_type=Path), default=RESULTS, help="Where the results are.")
@exit_on_signals()
def run(
    names: tuple[str, ...], games: tuple[str, ...], seeds: tuple[int, ...], steps: int | None, folder: Path
) -> None:
    """Trains and measures what has no result yet; NAMES are algorithms, all by default."""
    todo = [each for each in _chosen(names, games, seeds) if not each.path(folder).exists()]
    failed = []
    for number, each in enumerate(todo, 1):
        click.echo(f"{number} of {len(todo)}: {each.name} in {each.game}, seed {each.seed}")
        words = [each.name, each.game, str(each.seed), "--folder", str(folder)]
        words += [] if steps is None else ["--steps", str(steps)]
        command = [_python_of(each.name), "-W", "ignore", __file__, "train", *words]
        if subprocess.run(command, check=False).returncode:
            failed.append(" ".join(each[:2]))
    if failed:
        raise click.ClickException(f"not completed: {', '.join(failed)}")


@main.command()
@click.argument("name", type=click.Choice(list(ALGORITHMS)))
@click.argument("game", type=click.Choice(GAMES))
@click.argument("seed", type=int)
@click.option("--steps", type=click.IntRange(1))
@click.option("--folder", type=click.Path(path_type=Path), default=RESULTS)
def train(name: str, game: str, seed: int, steps: int | None, folder: Path) -> None:
    """Trains and measures once, in this environment, which must have the library."""
    import torch

    torch.set_num_threads(1)
    done = Run(name, game, seed)
    result = measure_run(done, steps or ALGORITHMS[name].steps, lambda line: click.echo(f"  {line}"))
    path = done.path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(result) + "\n").encode())


@main.command()
def report() -> None:
    """Writes the tables of `docs/benchmark.md`, their pictures, and the rows for the leaderboard."""
    write_whole(ROWS, leaderboard_rows().encode())
    text = PAGE.read_text(encoding="utf-8")
    write_whole(PAGE, filled(text).encode())
    for _, game, _ in PLACE.findall(text):
        if results := read_results(RESULTS / game):
            draw(game, results)


if __name__ == "__main__":
    main()
