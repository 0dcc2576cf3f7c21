"""The small protocol, which is made once."""

import pytest

from alquerque_env.benchmark.protocol import Protocol
from tests.benchmark.small_protocol import small_protocol


@pytest.fixture(scope="session")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    return small_protocol(tmp_path_factory.mktemp("v1"))
