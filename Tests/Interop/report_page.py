"""The page of `wsx bench --report` in a browser, as its users see it."""

from browser import Page


class ReportPage(Page):
    """A report opened as a file, with the given window width and color scheme."""

    def __init__(self, browser, path, width=1200, is_dark=False):
        super().__init__(browser)
        self.call("Network.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.open(path.as_uri())
        # The page builds its tables last.
        self.wait_for("document.querySelector('#facts dd')")

    @property
    def requests(self):
        """The URLs the page requested."""
        self.evaluate("0")
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def charts(self):
        """The identifiers of the visible charts."""
        return self.evaluate("""Array.from(document.querySelectorAll("figure"))
            .filter(figure => figure.checkVisibility()).map(figure => figure.id)""")

    def paths(self, chart):
        """The lines of a chart, each as a list of points."""
        paths = self.evaluate(
            f"""Array.from(document.querySelectorAll("#{chart} path"), path => path.getAttribute("d"))""")
        return [[[float(number) for number in point.split()] for point in path.replace("M", "L").split("L")[1:]]
                for path in paths]

    def table(self, selector):
        """The rows of a table: the label, then the text and the numeric value of each cell."""
        return self.evaluate(f"""Array.from(document.querySelectorAll("{selector} tbody tr"), row => [
            row.cells[0].textContent,
            ...Array.from(row.querySelectorAll("data"), data => [data.textContent, Number(data.value)])])""")

    def tip(self, chart):
        """The lines of the chart's tooltip, or None if it is hidden."""
        return self.evaluate(f"""(() => {{
            const tip = document.querySelector("#{chart} .tip");
            return tip.hidden ? null : Array.from(tip.querySelectorAll("p"), line => line.textContent);
        }})()""")

    def drag(self, chart, start, end):
        """Drags the pointer across a chart, between shares of its width."""
        self.evaluate(f"document.querySelector('#{chart} .plot').scrollIntoView({{block: 'center'}})")
        box = self.evaluate(f"document.querySelector('#{chart} .plot').getBoundingClientRect().toJSON()")
        y = box["y"] + box["height"] / 2
        for kind, share, buttons in [
                ("mousePressed", start, 1), ("mouseMoved", (start + end) / 2, 1), ("mouseMoved", end, 1),
                ("mouseReleased", end, 0)]:
            self.call("Input.dispatchMouseEvent", type=kind, x=box["x"] + share * box["width"], y=y,
                      button="left", buttons=buttons, clickCount=1)

    def focus(self, chart):
        self.evaluate(f"document.querySelector('#{chart} .plot').focus()")
