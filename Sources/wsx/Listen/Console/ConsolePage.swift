import WSCore

/// The page of `--console`: a WebSocket client in the browser.
struct ConsolePage {
    /// The HTML of the page.
    let text: String
    /// The Content-Security-Policy of the page. It allows the page's own script, identified by its hash, and
    /// connections to WebSocket servers. Injected scripts do not run, and text never becomes markup.
    let contentSecurityPolicy: String

    /// The modules of the script, each after the modules it imports.
    static let modules = [
        .elements, .units, .text, .entries, .filter, .pieces, .controls,
        PageModule(name: "log.js", source: PackageResources.log_js),
        PageModule(name: "view.js", source: PackageResources.view_js),
        PageModule(name: "connection.js", source: PackageResources.connection_js),
        PageModule(name: "composer.js", source: PackageResources.composer_js),
        PageModule(name: "console.js", source: PackageResources.console_js),
    ]

    private static let pathLine = #"<meta name="wsx-path" content="/">"#

    /// Assembles the page.
    /// - Parameter path: The path at which the server accepts WebSockets, as it appears in a request target.
    init(path: String) {
        let page = EmbeddedPage(
            html: PackageResources.console_html,
            styles: [PackageResources.base_css, PackageResources.controls_css, PackageResources.console_css],
            modules: Self.modules)
        text = page.text(replacing: [
            Self.pathLine: #"<meta name="wsx-path" content="\#(escapingMarkup(path))">"#
        ])
        contentSecurityPolicy =
            (["default-src 'none'"] + page.ownSources + [
                "img-src data:", "connect-src ws: wss:", "base-uri 'none'", "form-action 'none'",
                "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
            ]).joined(separator: "; ")
    }

    /// The page as an HTTP resource at `/`.
    var webPage: WebPage {
        WebPage(
            path: "/", mediaType: "text/html; charset=utf-8",
            fields: [
                HeaderField(wellFormedName: "Content-Security-Policy", value: contentSecurityPolicy),
                HeaderField(wellFormedName: "Referrer-Policy", value: "no-referrer"),
            ],
            bytes: Array(text.utf8))
    }
}
