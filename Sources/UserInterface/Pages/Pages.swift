extension EmbeddedPage {
    /// The page of `wsx check --report`.
    package static let checkResults = EmbeddedPage(
        html: "check.html",
        styles: ["base.css", "controls.css", "check.css"],
        modules: ["elements.js", "text.js", "verdicts.js", "results.js"])

    /// The page of `wsx check --listen` that checks the browser.
    package static let checkBrowser = EmbeddedPage(
        html: "browser.html",
        styles: ["base.css", "controls.css", "check.css"],
        modules: ["elements.js", "verdicts.js", "browser.js"])

    /// The page of `wsx listen --console`.
    package static let console = EmbeddedPage(
        html: "console.html",
        styles: ["base.css", "controls.css", "console.css"],
        modules: [
            "elements.js", "units.js", "text.js", "entries.js", "filter.js", "pieces.js", "controls.js", "log.js",
            "view.js", "connection.js", "composer.js", "console.js",
        ])

    /// The page of `wsx bench --report`.
    package static let report = EmbeddedPage(
        html: "report.html",
        styles: ["base.css", "report.css"],
        modules: ["elements.js", "units.js", "words.js", "chart.js", "seconds.js", "report.js"])

    /// The page that `wsx convert` writes.
    package static let session = EmbeddedPage(
        html: "session.html",
        styles: ["base.css", "controls.css", "session.css"],
        modules: [
            "elements.js", "units.js", "text.js", "entries.js", "filter.js", "pieces.js", "controls.js",
            "handshake.js", "events.js", "relations.js", "changes.js", "embedded.js", "automaton.js", "search.js",
            "facts.js", "connections.js", "list.js", "timeline.js", "message.js", "copies.js", "composer.js", "feed.js",
            "held.js", "sending.js", "live.js", "session.js",
        ])
}
