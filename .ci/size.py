"""Prints the lines of the source, and fails where they are above their limits: `python .ci/size.py`.

What is added takes something away: a second way of doing a thing costs its tests, documents and faults for good. A
limit may be lowered at any time. It is raised only for a feature that was agreed to be worth its lines.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {
    "alquerque_env": (("alquerque_env/*.py",), 48_414),
    "alquerque_training": (("training/alquerque_training/*.py",), 8_032),
    "tests": (("tests/*.py",), 46_224),
    "all Python": (("*.py",), 116_960),
    "JavaScript and CSS": (("*.js", "*.css"), 4_718),
}
"""What is counted, by the patterns of git, and how many lines it may have."""


def count(patterns: tuple[str, ...]) -> int:
    """The lines of the files that git knows under these patterns."""
    listing = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return sum((ROOT / name).read_bytes().count(b"\n") for name in listing.stdout.split("\0") if name)


def main() -> int:
    """Prints the table; the exit status is 1 if a limit is exceeded."""
    sizes = {what: count(patterns) for what, (patterns, _) in LIMITS.items()}
    for what, size in sizes.items():
        limit = LIMITS[what][1]
        print(f"{what:20} {size:8,} of {limit:8,} lines" + ("  TOO MANY" if size > limit else ""))
    return int(any(size > LIMITS[what][1] for what, size in sizes.items()))


if __name__ == "__main__":
    sys.exit(main())
