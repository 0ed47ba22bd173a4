/// A module of a page's script.
struct PageModule {
    let name: String
    let source: [UInt8]

    // The modules that several pages use.
    static let controls = PageModule(name: "controls.js", source: PackageResources.controls_js)
    static let elements = PageModule(name: "elements.js", source: PackageResources.elements_js)
    static let entries = PageModule(name: "entries.js", source: PackageResources.entries_js)
    static let filter = PageModule(name: "filter.js", source: PackageResources.filter_js)
    static let pieces = PageModule(name: "pieces.js", source: PackageResources.pieces_js)
    static let text = PageModule(name: "text.js", source: PackageResources.text_js)
    static let units = PageModule(name: "units.js", source: PackageResources.units_js)
    static let verdicts = PageModule(name: "verdicts.js", source: PackageResources.verdicts_js)
}

extension EmbeddedPage {
    /// The page of `wsx check --report`.
    package static let checkResults = EmbeddedPage(
        html: PackageResources.check_html,
        styles: [PackageResources.base_css, PackageResources.controls_css, PackageResources.check_css],
        modules: [
            .elements, .text, .verdicts, PageModule(name: "results.js", source: PackageResources.results_js),
        ])

    /// The page of `wsx check --listen` that checks the browser.
    package static let checkBrowser = EmbeddedPage(
        html: PackageResources.browser_html,
        styles: [PackageResources.base_css, PackageResources.controls_css, PackageResources.check_css],
        modules: [.elements, .verdicts, PageModule(name: "browser.js", source: PackageResources.browser_js)])

    /// The page of `wsx listen --console`.
    package static let console = EmbeddedPage(
        html: PackageResources.console_html,
        styles: [PackageResources.base_css, PackageResources.controls_css, PackageResources.console_css],
        modules: [
            .elements, .units, .text, .entries, .filter, .pieces, .controls,
            PageModule(name: "log.js", source: PackageResources.log_js),
            PageModule(name: "view.js", source: PackageResources.view_js),
            PageModule(name: "connection.js", source: PackageResources.connection_js),
            PageModule(name: "composer.js", source: PackageResources.composer_js),
            PageModule(name: "console.js", source: PackageResources.console_js),
        ])

    /// The page of `wsx bench --report`.
    package static let report = EmbeddedPage(
        html: PackageResources.report_html,
        styles: [PackageResources.base_css, PackageResources.report_css],
        modules: [
            .elements, .units, PageModule(name: "words.js", source: PackageResources.words_js),
            PageModule(name: "chart.js", source: PackageResources.chart_js),
            PageModule(name: "seconds.js", source: PackageResources.seconds_js),
            PageModule(name: "report.js", source: PackageResources.report_js),
        ])

    /// The page that `wsx convert` writes.
    package static let session = EmbeddedPage(
        html: PackageResources.session_html,
        styles: [PackageResources.base_css, PackageResources.controls_css, PackageResources.session_css],
        modules: [
            .elements, .units, .text, .entries, .filter, .pieces, .controls,
            PageModule(name: "events.js", source: PackageResources.events_js),
            PageModule(name: "relations.js", source: PackageResources.relations_js),
            PageModule(name: "changes.js", source: PackageResources.changes_js),
            PageModule(name: "list.js", source: PackageResources.list_js),
            PageModule(name: "timeline.js", source: PackageResources.timeline_js),
            PageModule(name: "message.js", source: PackageResources.message_js),
            PageModule(name: "session.js", source: PackageResources.session_js),
        ])
}
