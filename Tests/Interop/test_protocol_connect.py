"""Application protocols without a terminal: the columns pipe, JSON, request, login, and bench of protocol_cells.py."""

import protocol_cells
import pytest
from protocol_cells import SERVERS


@pytest.fixture(scope="module", params=SERVERS)
def server(request):
    """The server of each protocol in turn."""
    with SERVERS[request.param]() as server:
        yield server


def test_pipe(server):
    protocol_cells.pipe(server)


def test_json(server):
    protocol_cells.json_events(server)


def test_request(server):
    protocol_cells.request(server)


def test_wrong_token(server):
    protocol_cells.wrong_token(server)


def test_bench(server, tmp_path):
    protocol_cells.bench_requests(server, tmp_path)
