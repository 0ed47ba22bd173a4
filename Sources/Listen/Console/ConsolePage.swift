import UserInterface
import WSCore

/// The page of `--console`: a WebSocket client in the browser.
struct ConsolePage {
    /// The HTML of the page.
    let text: String

    private static let pathLine = #"<meta name="wsx-path" content="/">"#

    /// Assembles the page.
    /// - Parameter path: The path at which the server accepts WebSockets, as it appears in a request target.
    init(path: String) {
        let page = EmbeddedPage.console
        text = page.text(replacing: [
            Self.pathLine: #"<meta name="wsx-path" content="\#(escapingMarkup(path))">"#
        ])
    }

    /// The page as an HTTP resource at `/`.
    var webPage: WebPage { EmbeddedPage.console.webPage(at: "/", text: text) }
}
