"""Services that show a run elsewhere while it trains. Weights & Biases reads what is written for TensorBoard.

The id of the run at the service is in `wandb.json`, so that a resumed run goes on there. Its own files are in `wandb/`.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from alquerque_env.errors import AlquerqueError, one_line
from alquerque_env.files.atomic import write_whole
from alquerque_env.files.regular import read_regular
from alquerque_env.files.schema import Key, parse
from alquerque_training.config.settings import Config
from alquerque_training.run.folder import Run

PROJECT, IDENTITY, FOLDER = "alquerque", "wandb.json", "wandb"


class TrackingError(AlquerqueError):
    """A service that cannot show the run."""


@dataclass(frozen=True)
class Identity:
    """What `wandb.json` holds: the id of the run at the service."""

    id: Annotated[str, Key(low=1)]


@contextmanager
def tracked(name: str | None, run: Run, config: Config, console: Console) -> Iterator[None]:
    """Shows what is written for TensorBoard meanwhile at a service, too, or raises `TrackingError`; None is none."""
    if name is None:
        yield
        return
    from wandb.integration.tensorboard import unpatch  # here since it takes seconds, and only tracked runs need it

    shown = _begin(run, config)
    files = run.path / FOLDER / Path(shown.dir).parent.name
    place = f"offline; to upload it: wandb sync {files}" if shown.offline else shown.url or "disabled"
    console.print(f"tracked by wandb: {place}", soft_wrap=True, highlight=False, markup=False)
    status = 1
    try:
        yield
        status = 0
    except SystemExit:
        status = 0  # a run that was interrupted has not failed: it can be resumed
        raise
    finally:
        shown.finish(exit_code=status)
        unpatch()


def _begin(run: Run, config: Config) -> Any:
    """Begins a run at Weights & Biases, or goes on with the one of `wandb.json`."""
    import wandb

    # wandb's own output would break the live table; its prompt for a key would stop a program.
    settings = wandb.Settings(silent=True, console="off")
    identity = _read_identity(run.path / IDENTITY)
    try:
        is_online = wandb.setup(settings=settings).settings.mode == "online"
        if is_online and not wandb.login(prompt=False):
            raise TrackingError("wandb is not logged in: run wandb login, or set WANDB_MODE=offline")
        write_whole(run.path / IDENTITY, json.dumps(asdict(identity)).encode() + b"\n")
        return wandb.init(
            project=PROJECT,
            name=run.path.name,
            id=identity.id,
            resume="allow",
            dir=run.path.resolve(),  # wandb's process may have begun in another folder
            config=config.as_data(),
            sync_tensorboard=True,
            settings=settings,
        )
    except TrackingError:
        raise
    except (wandb.Error, OSError, ValueError) as error:
        raise TrackingError(f"wandb cannot track the run: {one_line(str(error))}") from None


def _read_identity(path: Path) -> Identity:
    """The identity of a run at the service, a new one if it has none."""
    try:
        return parse(Identity, json.loads(read_regular(path)), str(path), TrackingError)
    except FileNotFoundError:
        return Identity(secrets.token_hex(8))
    except (OSError, ValueError, RecursionError):
        raise TrackingError(f"{str(path)!r} has no id of a tracked run: delete it, to begin a new one there") from None
