import WSCore

/// The page of `--console`: a client in a browser.
struct ConsolePage {
    /// The page.
    let text: String
    /// What the page may do, for Content-Security-Policy: run its own script, which is known by its hash, and connect to
    /// WebSocket servers. Scripts that would come in by another way are not run, and text never becomes markup.
    let contentSecurityPolicy: String

    /// The modules of the script, each after those that it imports.
    static let modules: [(name: String, source: [UInt8])] = [
        ("text.js", PackageResources.text_js), ("log.js", PackageResources.log_js),
        ("view.js", PackageResources.view_js), ("connection.js", PackageResources.connection_js),
        ("composer.js", PackageResources.composer_js), ("console.js", PackageResources.console_js),
    ]

    private static let pathLine = #"<meta name="wsx-path" content="/">"#

    /// Joins the page.
    /// - Parameter path: The path at which the server takes WebSockets, as it comes in a request target.
    init(path: String) {
        let page = EmbeddedPage(
            html: PackageResources.console_html, style: PackageResources.console_css,
            modules: Self.modules.map { $0.source })
        text = page.text(replacing: [
            Self.pathLine: #"<meta name="wsx-path" content="\#(Self.attribute(path))">"#
        ])
        contentSecurityPolicy =
            (["default-src 'none'"] + page.ownSources + [
                "img-src data:", "connect-src ws: wss:", "base-uri 'none'", "form-action 'none'",
                "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
            ]).joined(separator: "; ")
    }

    /// The page as a server has it, for `/`.
    var webPage: WebPage {
        WebPage(
            path: "/", mediaType: "text/html; charset=utf-8",
            fields: [
                HeaderField(wellFormedName: "Content-Security-Policy", value: contentSecurityPolicy),
                HeaderField(wellFormedName: "Referrer-Policy", value: "no-referrer"),
            ],
            bytes: Array(text.utf8))
    }

    /// A text as it stands between double quotes in HTML.
    private static func attribute(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "<": escaped += "&lt;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
