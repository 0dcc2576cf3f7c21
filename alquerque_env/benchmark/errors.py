"""What is wrong with a benchmark that cannot be run."""

from ..errors import AlquerqueError


class BenchmarkError(AlquerqueError):
    """A protocol, suite, ladder, agent or result that cannot be used."""
