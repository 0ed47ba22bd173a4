import UserInterface
import WSCore

/// The page of `--console`: a WebSocket client in the browser.
struct ConsolePage {
    /// The HTML of the page.
    let text: String
    /// The Content-Security-Policy of the page. It allows the page's own script, identified by its hash, and
    /// connections to WebSocket servers. Injected scripts do not run, and text never becomes markup.
    let contentSecurityPolicy: String

    private static let pathLine = #"<meta name="wsx-path" content="/">"#

    /// Assembles the page.
    /// - Parameter path: The path at which the server accepts WebSockets, as it appears in a request target.
    init(path: String) {
        let page = EmbeddedPage.console
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
