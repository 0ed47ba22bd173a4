"""`wsx bench --report`: the file it writes, and the page it shows in a browser."""

import base64
import json
import math
import re
import threading

import pytest

import wire
from browser import SHIFT
from processes import assert_fails, wsx
from protocol_files import DeepgramServer, OpenAIRealtimeServer
from report_page import ReportPage
from scripted_server import ScriptedServer
from test_bench import TIMES
from test_scenarios import written

CHARTS = ["latency", "throughput", "connections", "curve", "histogram"]
TIME_CHARTS = ["latency", "throughput", "connections", "errors", "handshakes"]


def bench(path, *arguments):
    """Runs bench with a report and returns the results."""
    result = wsx("bench", "--output", "json", "--report", path, *arguments)
    return result, json.loads(result.out)


def data(path):
    """The data embedded in the page."""
    content, = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert not re.search("[<>&\u2028\u2029]", content)
    return json.loads(content)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of a two-second run, and its results."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    result, results = bench(path, "echo:", "-d", "2s", "-c", "3")
    assert (result.status, result.err) == (0, f"wsx: the report is in {path}\n")
    return path, results


@pytest.fixture
def page(browser, report):
    """The page. At the end, the browser must not have reported any problem."""
    with ReportPage(browser, report[0]) as page:
        yield page
        assert page.problems == []


# The file


def test_the_page_embeds_the_results(report):
    path, results = report
    embedded = data(path)
    for second in results["per_second"]:
        del second["histogram"]
    assert embedded["results"] == results
    assert sum(bar["replies"] for bar in embedded["bars"]) == results["messages"]["received"]
    curve = {point["one_of"]: point["us"] for point in embedded["curve"]}
    latency = results["latency_us"]
    assert [curve[1], curve[2], curve[100], curve[1000]] == [latency[name] for name in ["min", "p50", "p99", "p999"]]
    assert max(curve.values()) == latency["max"]
    facts = {fact["name"]: fact["value"] for fact in embedded["facts"]}
    assert (facts["URL"], facts["Mode"], facts["Connections"]) == ("echo:", "echo", "3")
    assert (facts["Messages"], facts["In flight"]) == ("text, 20 bytes each", "1 on each connection")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", facts["Started"])


def test_the_page_is_small_and_loads_nothing_external(report):
    text = report[0].read_text()
    assert len(text) - len(json.dumps(data(report[0]))) < 60_000
    assert re.findall(r'<[^>]*\s(?:src|href)="(?!data:)', text) == []
    assert "url(" not in text and "@import" not in text and "innerHTML" not in text
    assert "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-" in text


def test_a_report_that_cannot_be_created_prevents_the_run():
    assert_fails(wsx("bench", "ws://127.0.0.1:1/", "--report", "/nowhere/x.html"), 2, "--report /nowhere/x.html")


def test_a_report_that_cannot_be_written_exits_1_after_the_results():
    result = wsx("bench", "echo:", "-n", "10", "--report", "/dev/full")
    assert b"10 sent, 10 received" in result.out
    assert_fails(result, 1, "/dev/full")


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("x" * 1_000_000)
    bench(path, "echo:", "-n", "10")
    assert path.read_text().startswith("<!doctype html>") and path.read_text().endswith("</html>\n")


# The page


@pytest.mark.parametrize("is_dark, width", [(False, 1200), (True, 1200), (False, 400)], ids=["light", "dark", "narrow"])
def test_the_charts_are_drawn_without_requests(browser, report, is_dark, width):
    path, results = report
    with ReportPage(browser, path, width, is_dark) as page:
        assert page.charts() == CHARTS
        seconds = len(results["per_second"])
        assert [len(line) for line in page.paths("latency")] == [seconds] * 3
        assert [len(line) for line in page.paths("throughput")] == [seconds] * 2
        assert [len(line) for line in page.paths("curve")] == [len(data(path)["curve"])]
        for chart in CHARTS[:4]:
            assert all(math.isfinite(number) for line in page.paths(chart) for point in line for number in point)
        bars = page.evaluate("""Array.from(document.querySelectorAll("#histogram rect"),
            bar => ["x", "y", "width", "height"].map(name => Number(bar.getAttribute(name))))""")
        assert len(bars) == sum(bar["replies"] > 0 for bar in data(path)["bars"])
        assert all(width >= 1 and height >= 1 for _, _, width, height in bars)
        assert "NaN" not in page.evaluate("document.querySelector('main').outerHTML")
        # The page does not need horizontal scrolling.
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background))) < 200) == is_dark
        assert page.requests == [path.as_uri()]
        assert page.problems == []


def test_the_tables_show_the_results(page, report):
    results = report[1]
    times = page.table("#times")
    assert [[value for _, value in row[1:]] for row in times] == [
        [results[f"{time}_us"][name] for time in ("latency", "handshake", "lag")] for name in TIMES]
    assert [row[0] for row in times] == [
        "min", "mean", "std. deviation", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "p99.999", "max"]
    counts = page.table("#counts")
    groups = [results[group] for group in ("messages", "errors", "bytes")]
    assert [number for _, (_, number) in counts] == [number for group in groups for number in group.values()]
    assert [text for _, (text, _) in counts] == [f"{number:,}" for group in groups for number in group.values()]


@pytest.mark.parametrize("microseconds, text", [
    (0.5, "0.50 us"), (9.99, "9.99 us"), (87.34, "87.3 us"), (999.4, "999 us"), (999.96, "1.00 ms"), (1250, "1.25 ms"),
    (12_340, "12.3 ms"), (3_600_000_000, "3600 s")])
def test_times_have_three_significant_digits(page, microseconds, text):
    # The debugger may run code that the page's content security policy blocks.
    source = page.evaluate("document.querySelector('script[type=module]').textContent")
    function = re.search(r"function time\(.*?\n}\n", source, re.DOTALL).group()
    assert page.evaluate(f"(() => {{ {function} return time({microseconds}) }})()").replace("\xa0", " ") == text


def test_values_can_be_read_with_keys(page, report):
    seconds = report[1]["per_second"]
    page.focus("throughput")
    first = page.tip("throughput")
    assert first == ["0–1\xa0s", f"received{seconds[0]['received']:,}", f"sent{seconds[0]['sent']:,}"]
    for key, title in [
            ("ArrowUp", "1–2\xa0s"), ("ArrowUp", "1–2\xa0s"), ("Home", "0–1\xa0s"), ("End", "1–2\xa0s"),
            ("ArrowDown", "0–1\xa0s")]:
        page.press(key)
        assert page.tip("throughput")[0] == title
    assert page.evaluate("document.activeElement.getAttribute('aria-valuetext')").startswith("0–1\xa0s: received ")
    assert page.evaluate("document.querySelectorAll('#throughput circle.spot').length") == 2
    page.press("Escape")
    assert page.tip("throughput") is None
    page.press("Tab")
    assert page.tip("throughput") is None and page.tip("connections")[1:] == ["open3"]
    page.press("Tab")
    assert page.tip("connections") is None and page.tip("curve")[0] == "The fastest"
    page.press("End")
    assert page.tip("curve")[0] == "All replies"


def test_values_can_be_read_with_a_pointer(page):
    page.evaluate("document.querySelector('#histogram').scrollIntoView()")
    box = page.evaluate("document.querySelector('#histogram .plot').getBoundingClientRect().toJSON()")
    x = box["x"] + box["width"] / 2
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=box["y"] + box["height"] / 2)
    title, replies, share = page.tip("histogram")
    assert "–" in title and replies.startswith("replies") and share.endswith("%")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=box["y"] - 60)
    assert page.tip("histogram") is None


def test_every_chart_has_a_name_and_a_text_alternative(page):
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    charts = [node for node in nodes if not node["ignored"] and node["role"]["value"] == "slider"]
    assert [chart["name"]["value"] for chart in charts] == [
        f"{title}: cursor" for title in [
            "Latency over time", "Messages per second", "Connections", "Latency by percentile", "Distribution of latencies"]]
    assert all(len(chart["description"]["value"]) > 30 for chart in charts)
    headings = page.evaluate("""Array.from(document.querySelectorAll("h1, h2"))
        .filter(heading => heading.checkVisibility()).map(heading => heading.localName)""")
    assert headings[0] == "h1" and headings.count("h1") == 1 and len(headings) == 9


def test_stages_have_a_table(browser, tmp_path):
    path = tmp_path / "report.html"
    result, results = bench(path, "echo:", "--rate", "20@0s,20@1s,2k@0s,2k@1s", "-c", "2")
    assert result.status == 0
    with ReportPage(browser, path) as page:
        rows = page.table("#stages")
        assert page.problems == []
    assert [row[:3] for row in rows] == [
        ["stage1", ["20", 20], ["0", 0]], ["stage2", ["20", 20], ["1", 1]], ["stage3", ["2,000", 2000], ["0", 0]],
        ["stage4", ["2,000", 2000], ["1", 1]]]
    columns = ["rate_per_second", "sent", "received", "mismatched", "lost", "timeout"]
    for row, stage in zip(rows, results["stages"]):
        assert [value for _, value in row[3:]] == [
            *(stage[name] for name in columns), *(stage["latency_us"][name] for name in ["p50", "p99", "max"])]


def test_the_axis_can_be_linear(page, report):
    def shares():
        """Returns the heights of the curve's points, relative to the largest value."""
        _, *heights = [210 - point[1] for point in page.paths("curve")[0]]
        return [height / heights[-1] for height in heights]

    _, *values = [point["us"] / report[1]["latency_us"]["max"] for point in data(report[0])["curve"]]
    assert shares() != pytest.approx(values, abs=0.02)
    page.evaluate("document.querySelector('[value=linear]').click()")
    assert shares() == pytest.approx(values, abs=0.01)


def test_the_seconds_are_also_shown_as_a_table(page, report):
    page.evaluate("document.querySelector('summary').click()")
    page.wait_for("document.querySelector('#seconds table')")
    rows = page.evaluate("""Array.from(document.querySelectorAll("#seconds tbody tr"),
        row => Array.from(row.cells, cell => cell.textContent))""")
    assert [row[1] for row in rows] == [f"{second['received']:,}" for second in report[1]["per_second"]]


# Other kinds of runs


def test_a_run_of_one_message(browser, tmp_path):
    path = tmp_path / "report.html"
    _, results = bench(path, "echo:", "-n", "1", "-c", "1")
    with ReportPage(browser, path) as page:
        assert page.charts() == CHARTS
        assert [len(line) for line in page.paths("latency")] == [1] * 3
        assert page.evaluate("document.querySelectorAll('#latency circle').length") == 3
        assert page.evaluate("document.querySelectorAll('#histogram rect').length") == 1
        assert page.problems == [] and "NaN" not in page.evaluate("document.querySelector('main').outerHTML")
        assert page.table("#counts")[0] == ["sent", ["1", 1]]


def test_a_run_without_any_reply(browser, tmp_path):
    def script(peer):
        peer.upgrade()
        peer.read_frame()
        peer.send(wire.close(1011, b"no"))
        peer.read_to_end()

    path = tmp_path / "report.html"
    with ScriptedServer(script) as server:
        # Markup in a URL is shown literally and stays inside its element.
        url = f"{server.url}</script><script>document.title='pwned'</script><!--"
        result, results = bench(path, url, "-c", "2", "-d", "5s")
    assert result.status == 1 and results["messages"]["received"] == 0
    with ReportPage(browser, path) as page:
        assert "latency" not in page.charts() and "curve" not in page.charts()
        assert page.evaluate("document.getElementById('silence').checkVisibility()")
        assert page.evaluate("Array.from(document.querySelectorAll('#key .wrong'), figure => figure.textContent)") == [
            "2 lost", "2"]
        assert page.evaluate("document.querySelectorAll('script').length") == 2
        assert page.evaluate("document.getElementById('target').textContent") == results["url"]
        assert page.evaluate("document.title") == f"Failed: wsx bench {results['url']}"
        assert page.problems == [] and page.requests == [path.as_uri()]


@pytest.mark.parametrize("mode", ["send", "receive", "connect", "broadcast", "idle"])
def test_a_run_of_another_mode(browser, tmp_path, mode):
    path = tmp_path / "report.html"
    timeout = [] if mode in ("send", "receive") else ["--reply-timeout", "100ms"]
    bench(path, "echo:", "--mode", mode, "-d", "300ms", "-c", "3", *timeout)
    with ReportPage(browser, path) as page:
        has_latencies = bool(data(path)["bars"])
        assert ("curve" in page.charts()) == ("latency" in page.charts()) == has_latencies
        assert ("replies" not in page.evaluate("document.querySelector('main').innerText"))
        assert page.problems == [] and "NaN" not in page.evaluate("document.querySelector('main').outerHTML")


def test_connect_mode_shows_the_phases_of_opening(browser, tmp_path):
    path = tmp_path / "report.html"
    _, results = bench(path, "echo:", "--mode", "connect", "-n", "20")
    with ReportPage(browser, path) as page:
        assert page.evaluate("Array.from(document.querySelectorAll('#times th[scope=col]'), cell => cell.textContent)") == [
            "", "latency", "handshake", "lag", "name", "connect", "upgrade"]
        assert [row[-1][1] for row in page.table("#times")] == [
            results["handshake_phases_us"]["upgrade"][name] for name in TIMES]


def test_streamed_replies_have_columns(browser, tmp_path):
    path = tmp_path / "report.html"
    with OpenAIRealtimeServer() as server:
        result, results = bench(
            path, server.url, *server.options, "--mode", "request", "-m", '"one two"', "--reply-end", "^response.done ",
            "-c", "2", "-n", "8")
    assert result.status == 0
    with ReportPage(browser, path) as page:
        rows = page.table("#times")
        columns = page.evaluate("Array.from(document.querySelectorAll('#times thead th'), cell => cell.textContent)")
        assert page.problems == []
    assert columns[:5] == ["", "latency", "first message", "longest gap", "handshake"]
    groups = [results["latency_us"], results["stream"]["first_us"], results["stream"]["gap_us"], results["handshake_us"]]
    assert [[value for _, value in row[1:5]] for row in rows] == [[group[name] for group in groups] for name in TIMES]


def test_streamed_replies_of_steps_have_a_table(browser, tmp_path):
    path = tmp_path / "report.html"
    scenario = written(tmp_path / "speak.jsonl", [
        {"type": "message", "direction": "out", "data": '{"type":"Speak","text":"one two three"}'},
        {"type": "message", "direction": "out", "data": '{"type":"Flush"}'},
        {"type": "message", "direction": "in", "replyEnd": "^Flushed ", "name": "speech <b>"}])
    with DeepgramServer() as server:
        result, results = bench(path, server.url, *server.options, "--scenario", scenario, "-c", "2", "-n", "6")
    assert result.status == 0
    stream, = [step["stream"] for step in results["steps"]]
    with ReportPage(browser, path) as page:
        (name, *cells), = page.table("#steps .wide:nth-of-type(2)")
        assert page.problems == []
    assert name == "speech <b>"
    assert [value for _, value in cells] == [
        *(stream[times][percentile] for times in ("first_us", "gap_us") for percentile in ("p50", "p99")),
        stream["messages"]["mean"], stream["messages"]["max"]]
    assert cells[-1] == ["4", 4]


def test_a_failed_run_begins_with_its_reasons_and_causes(browser, tmp_path):
    handshakes = iter(range(10))
    lock = threading.Lock()

    def script(peer):
        peer.read_request()
        with lock:
            number = next(handshakes)
        if number < 3:
            peer.send(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")
            return
        peer.upgrade()
        frame = peer.read_frame()
        if number < 5:
            peer.send(wire.close(1011))
            peer.read_until_close()
            return
        peer.send(wire.text(b"wrong"))
        peer.answer_close()

    path = tmp_path / "report.html"
    with ScriptedServer(script) as server:
        _, results = bench(
            path, server.url, "-c", "6", "-n", "3", "--reply-timeout", "500ms", "--threshold", "errors<2",
            "--threshold", "received>=0")
    reasons = [
        "3 × HTTP 429 Too Many Requests", "2 of 3 messages were lost", "2 × close 1011 internal error",
        "1 of 3 messages was mismatched", "errors is 5, limit 2"]
    assert results["result"] == {"passed": False, "reasons": reasons, "verdict": "failed"}
    with ReportPage(browser, path) as page:
        items = page.evaluate("Array.from(document.querySelectorAll('#verdict li'), item => item.textContent)")
        details = page.evaluate("Array.from(document.querySelectorAll('#key .detail'), item => item.textContent)")
        states = page.evaluate("""Array.from(document.querySelectorAll("#thresholds tbody tr"), row =>
            row.cells[1].textContent)""")
        assert page.problems == []
    assert items == reasons
    assert details == ["3 × HTTP 429 Too Many Requests", "2 × close 1011 internal error"]
    assert states == ["not met", "met"]


def test_a_run_without_any_connection(browser, tmp_path):
    path = tmp_path / "report.html"
    result = wsx("bench", "ws://127.0.0.1:1/", "-c", "5", "--report", path)
    assert (result.status, result.out) == (3, b"")
    with ReportPage(browser, path) as page:
        assert page.charts() == []
        assert ["failed to connect", ["5", 5]] in page.table("#counts")
        assert page.problems == [] and "NaN" not in page.evaluate("document.querySelector('main').outerHTML")


def test_merged_results_have_a_page_that_shows_thresholds(browser, tmp_path):
    path, runs = tmp_path / "report.html", tmp_path / "runs.json"
    runs.write_text("".join(wsx("bench", "--output", "json", "echo:", "-n", "100").out.decode() for _ in range(2)))
    thresholds = ["--threshold", "errors=0", "--threshold", "max<1us"]
    result = wsx("bench", "merge", runs, "--report", path, *thresholds)
    assert result.status == 7
    with ReportPage(browser, path) as page:
        assert page.charts() == CHARTS
        assert page.table("#counts")[0] == ["sent", ["200", 200]]
        verdict = page.evaluate("document.getElementById('verdict').textContent")
        assert verdict.startswith("Failed: max is ") and page.evaluate("document.title").startswith("Failed: ")
        rows = page.evaluate("""Array.from(document.querySelectorAll("#thresholds tbody tr"), row =>
            Array.from(row.cells, cell => cell.textContent))""")
        assert rows[0] == ["errors=0", "met", "0", "0", ""]
        assert (rows[1][0], rows[1][1], rows[1][3]) == ("max<1us", "not met", "1.00\xa0us")
        assert rows[1][4].startswith("−")
        assert page.problems == []


def test_the_comparison_with_a_baseline_is_a_table(browser, report, tmp_path):
    def change(content):
        content["results"]["baseline"] = {
            "start_time": "2026-01-02T03:04:05.000000Z", "runs": 2, "seconds": 20, "seconds_now": 10,
            "metrics": [
                {"metric": "rate_per_second", "baseline": 2000, "now": 1000, "change": -0.5, "verdict": "slower"},
                {"metric": "p50_us", "baseline": None, "now": 90, "change": None, "verdict": "unknown"}],
            "steps": [
                {"step": "query <b>", "metric": "p99_us", "baseline": 1000, "now": 2000, "change": 1, "verdict": "noise",
                 "reason": "unclear", "variation": 0.38},
                {"step": "query <b>", "metric": "failed", "baseline": 0, "now": 0.125, "change": None,
                 "verdict": "more"}]}

    path = tmp_path / "baseline.html"
    changed(report[0], path, change)
    with ReportPage(browser, path) as page:
        rows = page.evaluate("""Array.from(document.querySelectorAll("#baseline tbody tr"), row =>
            Array.from(row.cells, cell => cell.textContent + (cell.className && "!")))""")
        assert rows == [
            ["rate", "slower!", "2,000", "1,000", "−50.0 %"], ["p50", "too few seconds", "–", "90.0\xa0us", "–"],
            ["query <b> p99", "unclear (varies by ±38 %)", "1.00\xa0ms", "2.00\xa0ms", "+100.0 %"],
            ["query <b> failed", "more!", "0 %", "12.5 %", "–"]]
        words = page.evaluate("document.querySelector('#baseline p').textContent")
        assert words == "The medians of 2 runs, the first from 2026-01-02T03:04:05Z, with 20 seconds; now 10."
        assert page.problems == []


def changed(source, path, change):
    """Writes a report with modified data. The hash in the page's policy does not cover the data."""
    content = data(source)
    change(content)
    text = json.dumps(content).replace("<", "\\u003c")
    path.write_text(re.sub(
        r'(id="data">).*?(</script>)', lambda parts: parts[1] + text + parts[2], source.read_text(), flags=re.DOTALL))


def test_an_hour_long_run_shows_a_second_without_replies(browser, report, tmp_path):
    def change(content):
        results = content["results"]
        results["duration_s"] = 3599.5
        results["per_second"] = [
            {"second": number, "sent": 100, "received": 0 if number == 1000 else 100, "p50_us": 80 + number % 7,
             "p99_us": 200, "max_us": 0 if number == 1000 else 5000} for number in range(3600)]
        results["timeline"]["connections"] = [3] * 3600

    path = tmp_path / "hour.html"
    changed(report[0], path, change)
    with ReportPage(browser, path) as page:
        assert [len(line) for line in page.paths("latency")] == [3599] * 3
        assert [len(line) for line in page.paths("throughput")] == [3600] * 2
        assert page.evaluate("document.querySelectorAll('#latency rect.gap').length") == 1
        assert page.evaluate("document.querySelector('#latency path').getAttribute('d').match(/M/g).length") == 2
        assert page.evaluate("document.querySelectorAll('#latency circle').length") == 0
        page.focus("throughput")
        page.press("End")
        # Half a second with 100 messages.
        assert page.tip("throughput") == ["59:59–59:59.5\xa0min", "received200", "sent200"]
        assert page.problems == []


# Charts over time


def staged(content):
    """Makes the data those of 20 s with stages, errors, and handshakes."""
    results = content["results"]
    results["duration_s"] = 20
    results["connections"] = 100
    results["per_second"] = [
        {"second": number, "sent": 100, "received": 100, "p50_us": 80, "p99_us": 200, "max_us": 5000}
        for number in range(20)]
    results["errors"]["timeout"] = 5
    results["errors"]["handshake"] = 30
    summary = results["latency_us"]
    counts = {"sent": 1, "received": 1, "mismatched": 0, "lost": 0, "timeout": 0}
    results["stages"] = [
        {"name": f"stage{number}", "target_connections": target, "duration_s": 5 * number, "rate_per_second": 1,
         "latency_us": summary, **counts} for number, target in [(1, 100), (2, 100), (1, 0)]]
    results["stages"][2]["name"] = "stage3"
    results["timeline"] = {
        "connections": [20, 40, 60, 80] + [100] * 11 + [80, 60, 40, 20, 0],
        "opening": [],
        "handshakes": [{"second": number, "received": 20, "p50_us": 900, "p99_us": 2000 + number} for number in range(5)],
        "errors": [
            {"kind": "http", "code": 429, "name": "Too Many <Requests>", "seconds": [[3, 10], [4, 12]]},
            {"kind": "timeout", "seconds": [[-1, 2], [12, 1]]}]}


@pytest.fixture
def staged_page(browser, report, tmp_path):
    changed(report[0], tmp_path / "staged.html", staged)
    with ReportPage(browser, tmp_path / "staged.html", is_dark=True) as page:
        yield page
        assert page.problems == [] and "NaN" not in page.evaluate("document.querySelector('main').outerHTML")


def points(page):
    """The number of points of the first line of each chart over time, apart from that of bars."""
    return [len(page.paths(chart)[0]) for chart in TIME_CHARTS if chart not in ("errors", "handshakes")]


def caption(page, chart):
    return page.evaluate(f"document.querySelector('#{chart} figcaption').textContent")


def test_connections_stages_errors_and_handshakes_have_charts(staged_page):
    page = staged_page
    assert page.charts() == [*TIME_CHARTS, "curve", "histogram"]
    assert [len(line) for line in page.paths("connections")] == [20, 20]
    # The second stage, and the names of all, in every chart over time.
    bands = """Array.from(document.querySelectorAll("#%s .band:not(.plain)"), band => Number(band.getAttribute("width")))"""
    for chart in TIME_CHARTS:
        assert len(page.evaluate(bands % chart)) == 1
        names = page.evaluate(f"Array.from(document.querySelectorAll('#{chart} text'), text => text.textContent)")
        assert [name for name in names if name.startswith("stage")] == ["stage1", "stage2", "stage3"]
    page.focus("connections")
    assert page.tip("connections") == ["0–1\xa0s, stage1", "open20", "target20", "opened20"]
    # Both are values at the end of the second.
    assert page.paths("connections")[0] == page.paths("connections")[1]
    assert caption(page, "connections") == (
        "Between 0 and 100 of 100 connections, at the end of each second. The target is dotted.")
    assert page.evaluate("document.querySelectorAll('#errors .bar').length") == 3
    keys = page.evaluate("Array.from(document.querySelectorAll('#errors li'), key => key.textContent)")
    assert keys == ["HTTP 429 Too Many <Requests> 22", "timed out 1"]
    assert caption(page, "errors") == (
        "23 errors and wrong replies during the load. Not shown: 2 before the load, and 10 after its end.")
    page.focus("errors")
    page.press("End")
    assert page.tip("errors") == ["19–20\xa0s", "errorsnone"]
    assert caption(page, "handshakes").startswith("Times to open 100 connections during the load. The worst second is 4–5\xa0s,")
    page.focus("handshakes")
    assert page.tip("handshakes") == ["0–1\xa0s, stage1", "p992.00\xa0ms", "p50900\xa0us", "opened20"]


def test_all_charts_over_time_show_the_selected_part(staged_page):
    page = staged_page
    assert points(page) == [20, 20, 20]
    curve = page.paths("curve")
    page.drag("throughput", 0.3, 0.6)
    shown, = set(points(page))
    assert 6 <= shown <= 9
    words = page.evaluate("document.getElementById('view').textContent")
    start, end = map(int, re.fullmatch(r"The charts over time show (\d+)–(\d+)\xa0s of 20\xa0s\.", words).groups())
    assert end - start == shown
    page.focus("latency")
    for key, second in [("Home", start), ("End", end - 1)]:
        page.press(key)
        assert page.tip("latency")[0].startswith(f"{second}–{second + 1}\xa0s")
    assert page.paths("curve") == curve
    page.evaluate("document.querySelector('#zoom button').click()")
    assert points(page) == [20, 20, 20] and not page.evaluate("document.getElementById('zoom').checkVisibility()")
    # A click selects nothing.
    page.drag("throughput", 0.5, 0.501)
    assert points(page) == [20, 20, 20]


def test_the_part_can_be_selected_with_keys(staged_page):
    page = staged_page
    page.focus("connections")
    page.press("Home")
    for keys, count, title in [("+", 10, "0–1"), ("+", 5, "0–1"), ("-", 10, "0–1"), ("-", 20, "0–1")]:
        page.press(keys)
        assert set(points(page)) == {count} and page.tip("connections")[0].startswith(title)
    page.press("+")
    page.press("ArrowRight", SHIFT)
    assert page.evaluate("document.getElementById('view').textContent") == "The charts over time show 5–15\xa0s of 20\xa0s."
    assert page.tip("connections")[0] == "5–6\xa0s, stage2"
    page.press("Escape")
    assert points(page) == [20, 20, 20]


def test_the_page_can_be_printed(staged_page):
    page = staged_page
    page.drag("throughput", 0.3, 0.6)
    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.call("Emulation.setDeviceMetricsOverride", width=720, height=900, deviceScaleFactor=1, mobile=False)
    controls = page.evaluate("""Array.from(document.querySelectorAll("button, input, #hint, summary"))
        .filter(element => element.checkVisibility()).map(element => element.outerHTML)""")
    assert controls == []
    assert page.evaluate("document.getElementById('view').checkVisibility()"), "the paper shows which part it is"
    colors = page.evaluate("['body', 'figure'].map(name => getComputedStyle(document.querySelector(name)).color)")
    assert all(sum(map(int, re.findall(r"\d+", color))) < 200 for color in colors), "dark text on white"
    cut = page.evaluate("""Array.from(document.querySelectorAll("figure svg")).filter(chart => {
        const [inner, outer] = [chart.getBoundingClientRect(), chart.closest("figure").getBoundingClientRect()];
        return inner.right > outer.right || inner.bottom > outer.bottom || outer.right > innerWidth;
    }).length""")
    assert cut == 0
    assert page.evaluate("getComputedStyle(document.querySelector('figure')).breakInside") == "avoid"
    assert base64.b64decode(page.call("Page.printToPDF")["data"]).startswith(b"%PDF")


def test_connections_opened_slowly_before_the_load_have_a_chart(browser, report, tmp_path):
    def change(content):
        content["results"]["timeline"]["opening"] = [
            {"second": second, "received": 5, "p50_us": 900, "p99_us": 2000} for second in (0, 1, 3)]

    changed(report[0], tmp_path / "opening.html", change)
    with ReportPage(browser, tmp_path / "opening.html") as page:
        assert page.charts() == [*CHARTS[:3], "opening", *CHARTS[3:]]
        assert [len(line) for line in page.paths("opening")] == [3, 3]
        page.focus("opening")
        page.press("End")
        assert page.tip("opening") == ["3–4\xa0s", "p992.00\xa0ms", "p50900\xa0us", "opened5"]
        # It has no part of the common axis.
        page.press("+")
        assert not page.evaluate("document.getElementById('zoom').checkVisibility()")
        assert page.problems == []


def test_results_of_earlier_versions_have_no_charts_of_connections(browser, report, tmp_path):
    changed(report[0], tmp_path / "old.html", lambda content: content["results"].pop("timeline"))
    with ReportPage(browser, tmp_path / "old.html") as page:
        assert page.charts() == [chart for chart in CHARTS if chart != "connections"]
        assert page.problems == []
