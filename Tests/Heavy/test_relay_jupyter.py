"""A Jupyter server with its web page behind `wsx relay`, used in Chromium."""

import json

import pytest

from browser import Chromium, Page
from processes import ROOT, Relay, Running, environment, wait_until
from services import free_ports

PEERS = ROOT / ".build/heavy-peers/bin"
NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None,
               "source": "print('product', 6 * 7)"}]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A Jupyter server with a password, and a notebook."""
    directory = tmp_path_factory.mktemp("jupyter")
    (directory / "test.ipynb").write_text(json.dumps(NOTEBOOK))
    (port,) = free_ports(1)
    command = [
        PEERS / "jupyter-nbclassic", "--no-browser", "--allow-root", f"--ServerApp.port={port}",
        "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=geheim", f"--ServerApp.root_dir={directory}"]
    with Running(command, cwd=directory, env=environment(HOME=directory)) as server:
        wait_until(lambda: "is running at" in server.err, timeout=120, what="the server")
        server.url = f"http://127.0.0.1:{port}"
        server.directory = directory
        yield server


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def test_a_notebook_is_executed_uploaded_and_saved(server, browser):
    with Relay(server.url, "--json") as relay, Page(browser) as page:
        own = f"http://localhost:{relay.port}"
        # The form redirects to the page before it, with a cookie.
        page.open(f"{own}/login?next=%2Fnotebooks%2Ftest.ipynb")
        page.evaluate("""(document.querySelector("[name=password]").value = "geheim", document.forms[0].submit())""")
        page.wait_for("location.pathname === '/notebooks/test.ipynb' && globalThis.Jupyter?.notebook?.kernel?.is_connected()")
        page.evaluate("void Jupyter.notebook.execute_all_cells()")
        page.wait_for("document.querySelector('.output_text')?.textContent.includes('product 42')")
        page.evaluate("Jupyter.notebook.save_checkpoint()")
        wait_until(lambda: "product 42" in (server.directory / "test.ipynb").read_text(), what="the saved notebook")
        page.evaluate("""Jupyter.notebook.contents.save(
            "uploaded.txt", { type: "file", format: "text", content: "x".repeat(1e6) }).then(() => true)""")
        assert (server.directory / "uploaded.txt").read_text() == "x" * 1_000_000
        wait_until(lambda: b'"direction":"in"' in relay.out and b"execute_request" in relay.out, what="a message")
        assert "Rejected" not in relay.err
