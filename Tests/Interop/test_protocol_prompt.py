"""Application protocols at the prompt: a column of protocol_cells.py."""

import protocol_cells
import pytest
from protocol_cells import SERVERS

from terminal import Screen


@pytest.fixture(scope="module", params=SERVERS)
def server(request):
    """The server of each protocol in turn."""
    with SERVERS[request.param]() as server:
        yield server


def test_prompt(server):
    with Screen(width=180) as screen:
        protocol_cells.prompt(server, screen)
