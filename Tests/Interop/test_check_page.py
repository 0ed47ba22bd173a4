"""The page of `wsx check --report`, and the pages of `wsx check --listen`, in a browser."""

import base64
import hashlib
import http.client
import json
import re
import signal
from urllib.parse import quote

import jsonschema
import pytest

from browser import Page
from processes import BINARY, PEERS, PEERS_PYTHON, ROOT, PeerServer, Running, assert_fails, run, wsx

SCHEMA = json.loads((ROOT / "docs/schemas/check.json").read_text())
FAULTY = PEERS / "faulty_peer.py"
HOSTILE = "<img src=x onerror=\"console.log('run')\"></script><script>console.log('run')</script>\u202e"


class CheckPage(Page):
    """A page of results, with the given window width and color scheme."""

    def __init__(self, browser, url, width=1200, is_dark=False):
        super().__init__(browser)
        self.call("Network.enable")
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.open(url)

    @property
    def requests(self):
        """The URLs the page requested."""
        self.evaluate("0")
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def lines(self, selector):
        """The texts of the elements that match, with single spaces."""
        return self.evaluate(f"""Array.from(document.querySelectorAll({json.dumps(selector)}),
            element => element.textContent.replace(/\\s+/g, " ").trim())""")

    def cases(self):
        """The shown cases by id, each with the text of its cells."""
        return self.evaluate("""Object.fromEntries(Array.from(document.querySelectorAll(".case"), row => [
            row.querySelector(".id").textContent,
            Array.from(row.querySelectorAll("td"), cell => cell.textContent.trim())]))""")

    def show(self, name):
        """Chooses which cases are shown: all, failures, or differences."""
        self.evaluate(f"document.querySelector('[name=shown][value={name}]').click()")

    def search(self, words):
        self.evaluate("document.getElementById('words').select()")
        self.type(words)


def results(path, *arguments, status=0):
    """Writes results to a file, and returns them."""
    result = wsx("check", "--json", *arguments, timeout=300)
    assert result.status == status, result.err
    path.write_bytes(result.out)
    document = json.loads(result.out)
    jsonschema.validate(document, SCHEMA)
    return document


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The results of a server that is right, and of one that takes reserved bits."""
    directory = tmp_path_factory.mktemp("results")
    selection = ["--case", "1.1.*", "--case", "3.*"]
    results(directory / "right.json", "echo:", "--agent", "right", *selection)
    with PeerServer([PEERS_PYTHON, FAULTY, "serve", "--fault", "fr-rsv2-ignored"]) as server:
        faulty = results(directory / "faulty.json", server.url, "--agent", HOSTILE, *selection, status=7)
    failed = [case for case in faulty["cases"] if case["verdict"] == "failed"]
    assert {"rfc", "expected", "consequence", "frames"} <= failed[0].keys()
    assert {frame["sent"] for frame in failed[0]["frames"]} == {True, False}
    return directory / "right.json", directory / "faulty.json"


@pytest.fixture(scope="module")
def report(files, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    result = wsx("check", "--report", path, "--results", files[0], "--results", files[1])
    assert (result.status, result.out, result.err) == (0, b"", f"wsx: the report is in {path}\n")
    return path


@pytest.fixture
def page(browser, report):
    """The page. At the end, the browser must not have reported any problem: nothing of an agent has been executed."""
    with CheckPage(browser, report.as_uri()) as page:
        yield page
        assert page.problems == []
        assert page.requests == [report.as_uri()]


# MARK: The file

def test_the_page_contains_the_results_and_loads_nothing(report, files):
    text = report.read_text()
    content, = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert not re.search("[<>&\u2028\u2029]", content)
    assert json.loads(content)["agents"] == [json.loads(file.read_text()) for file in files]
    assert re.findall(r'<[^>]*\s(?:src|href)="(?!data:)', text) == []
    policy, = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', text)
    script, = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    source = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{source}'; ") and "innerHTML" not in script


def test_a_run_is_compared_with_earlier_ones(files, tmp_path):
    path, both = tmp_path / "report.html", tmp_path / "both.json"
    both.write_bytes(b"".join(file.read_bytes() for file in files))
    result = wsx("check", "echo:", "--case", "1.1.*", "--agent", "now", "--report", path, "--results", both)
    assert result.status == 0
    content, = re.findall(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert [agent["agent"] for agent in json.loads(content)["agents"]] == ["now", "right", HOSTILE]


def test_known_failures_are_marked(files, tmp_path):
    expected = tmp_path / "expected"
    expected.write_text("3.*\n")
    with PeerServer([PEERS_PYTHON, FAULTY, "serve", "--fault", "fr-rsv2-ignored"]) as server:
        document = results(tmp_path / "x.json", server.url, "--case", "3.2", "--expect", expected)
    assert [case["known"] for case in document["cases"]] == [True]


@pytest.mark.parametrize("text, words", [
    ("", ["has no results"]), ("[]", ["line 1", "not a result"]), ('{"version":1}', ["line 1"]), (b"\xff", ["UTF-8"]),
    ('{"version":1,"agent":"a","role":"server","cases":[{"id":"1","title":"t","verdict":"good","ms":1}]}', ["line 1"]),
    ('{"version":1,"agent":"a","role":"server","cases":[]}\n\n{"version":2}', ["line 3"]),
])
def test_bad_results_are_usage_errors(text, words, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert_fails(wsx("check", "--report", tmp_path / "r.html", "--results", path), 2, "--results", "x.json", *words)
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize("arguments, words", [
    (["--results", "x.json"], ["--results", "--report"]), (["--report", "r.html"], ["URL", "--listen PORT"]),
    (["--report", "/nonexistent/r.html", "echo:"], ["--report", "no such file"]),
    (["--report", "r.html", "--results", "/nonexistent"], ["--results", "no such file"]),
])
def test_mistakes_are_usage_errors(arguments, words):
    assert_fails(wsx("check", *arguments), 2, *words)


# MARK: The page

def test_agents_are_side_by_side(page):
    assert page.lines("thead tr:first-child th div") == ["right", HOSTILE.replace("\u202e", "\\u{202E}")]
    assert page.lines(".section .title") == ["Messages", "Reserved bits"]
    # The section in which the agents do not differ is closed.
    assert page.lines(".section button[aria-expanded=true] .title") == ["Reserved bits"]
    assert page.cases()["3.2"][0] == "✓ passed" and page.cases()["3.2"][1].startswith("✗ failed")
    right, faulty = page.lines(".total td")
    assert right == "✓ 15 passed" and re.match(r"✗ \d failed ✓ \d+ passed", faulty)
    assert page.lines("#summary") == ["2 agents, 15 cases"]


def test_sections_open_and_close(page):
    page.evaluate("document.querySelector('.section button').click()")
    assert "1.1.1" in page.cases()
    page.evaluate("document.querySelector('.section button').click()")
    assert "1.1.1" not in page.cases()


def test_cases_are_filtered(page):
    page.show("failures")
    failed = page.cases()
    assert failed and all("failed" in " ".join(cells) for cells in failed.values())
    page.show("differences")
    assert page.cases() == failed
    page.show("all")
    page.search("65535 bytes")
    assert set(page.cases()) == {"1.1.6"}
    page.search("no such case")
    assert page.cases() == {} and page.lines("#nothing") == ["No case matches."]


def test_a_case_is_shown_with_its_frames(page):
    page.evaluate("document.querySelectorAll('td.failed')[0].click()")
    assert "RFC 6455 §5.2" in page.lines("#details > p")[0]
    assert page.lines("#details h3")[0].startswith("<img")
    assert page.lines("#details dt") == ["Accepted", "A failure means"]
    assert any(line.startswith("→ sent text rsv2") for line in page.lines("#details .frames li"))
    assert page.evaluate("document.querySelector('#details a').href").startswith("https://www.rfc-editor.org/rfc/rfc6455#")
    page.press("Escape")
    assert page.evaluate("document.getElementById('details').hidden && document.activeElement.closest('.case') !== null")


def test_texts_of_peers_are_only_text(browser, tmp_path):
    frames = [{"sent": False, "kind": HOSTILE, "bytes": 9, "text": HOSTILE}, {"sent": 1, "hex": HOSTILE, "kind": 1}]
    case = {"id": f"{HOSTILE}.1", "title": HOSTILE, "verdict": "failed", "close": HOSTILE, "reason": HOSTILE, "ms": HOSTILE,
            "rfc": HOSTILE, "expected": HOSTILE, "consequence": HOSTILE, "frames": frames, "omitted_frames": HOSTILE}
    path, report = tmp_path / "x.json", tmp_path / "x.html"
    path.write_text(json.dumps({"version": 1, "agent": HOSTILE, "role": HOSTILE, "echoes": HOSTILE, "cases": [case]}))
    assert wsx("check", "--report", report, "--results", path).status == 0
    with CheckPage(browser, report.as_uri()) as page:
        page.evaluate("document.querySelector('td.failed').click()")
        assert page.lines("#details .frames code")[0].startswith("<img")
        assert page.evaluate("document.querySelectorAll('img, body script:not([type])').length") == 0
        assert page.evaluate("document.body.innerText.includes('\\u202e')") is False
        assert page.problems == []
        assert page.requests == [report.as_uri()]


def test_keys_move_between_cases(page):
    page.evaluate("document.querySelector('.case button').focus()")
    page.press("Enter")
    page.press("ArrowDown")
    assert page.lines("#details h2 .id") == [list(page.cases())[1]]


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_a_narrow_page_fits(browser, report, is_dark):
    with CheckPage(browser, report.as_uri(), width=390, is_dark=is_dark) as page:
        for _ in range(2):
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            # The names of cases stay in view.
            page.evaluate("document.getElementById('results').scrollLeft = 1000")
            assert page.evaluate("document.querySelector('.case th').getBoundingClientRect().left") == 0
            page.evaluate("document.querySelector('td.failed').click()")
        assert (page.evaluate("getComputedStyle(document.body).color") == "rgb(223, 228, 234)") == is_dark
        assert page.problems == []


# MARK: --listen

class Checking(Running):
    """`wsx check --listen`, with the URL of its page."""

    def __init__(self, *arguments):
        super().__init__([BINARY, "check", "--listen", "0", *arguments])
        self.url = self.wait_for(r"open (http://\S+/)\n").group(1).decode()
        self.host = self.url.split("/")[2]

    def get(self, path, method="GET", host=None):
        """The response to a plain request, and its body."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request(method, path, headers={"Host": host or self.host})
        response = connection.getresponse()
        return response, response.read()


def test_a_browser_checks_itself(browser, tmp_path):
    with Checking("--once", "--case", "1.1.*", "--json") as checking:
        with CheckPage(browser, f"{checking.url}?agent={quote(HOSTILE)}") as page:
            page.wait_for("location.pathname === '/report' && document.querySelector('.total td')")
            assert page.lines("thead tr:first-child th div")[0].startswith("<img")
            assert page.lines(".total td") == ["✓ 8 passed"]
            assert page.problems == []
        assert checking.wait() == 0


def test_the_report_has_all_agents_so_far(browser):
    with Checking("--case", "2.1", "--case", "2.2", "--case-timeout", "1s") as checking:
        assert b"results.js" not in checking.get("/report")[1]
        address = checking.url.replace("http", "ws").rstrip("/")
        run([PEERS_PYTHON, FAULTY, "run", address, "--agent", "one"])
        run([PEERS_PYTHON, FAULTY, "run", address, "--agent", "two", "--fault", "fr-pong-empty"])
        with CheckPage(browser, f"{checking.url}report") as page:
            assert page.lines("thead tr:first-child th div") == ["one", "two"]
            page.show("failures")
            assert "2.2" in page.cases()
            assert page.problems == []
        checking.signal(signal.SIGINT)
        assert checking.wait() == 7


def test_pages_are_for_this_machine_only():
    with Checking() as checking:
        for path in ["/", "/report", "/report?agent=x"]:
            response, body = checking.get(path)
            assert response.status == 200 and response.headers["Content-Type"] == "text/html; charset=utf-8"
            assert response.headers["Connection"] == "close" and int(response.headers["Content-Length"]) == len(body)
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
            assert checking.get(path, method="HEAD")[1] == b""
            assert checking.get(path, method="POST")[0].status == 405
            # A page can make its own name resolve to this machine.
            response, body = checking.get(path, host="attacker.example")
            assert response.status == 403 and body == b'The host "attacker.example" is not allowed; use an IP address.\n'
        assert checking.get("/", host="localhost:1")[0].status == 200
        assert checking.get("/missing")[0].status == 404
