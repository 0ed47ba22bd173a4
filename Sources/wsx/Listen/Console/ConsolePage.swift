import WSCore

/// The page of `--console`: a client in a browser, all in one file that loads nothing.
///
/// It is joined from the files in `Page/`, which are the program's resources: style and script take the places of the
/// lines that refer to them. In a directory of their own those files work as they are.
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
    private static let styleLine = #"<link rel="stylesheet" href="console.css">"#
    private static let scriptLine = #"<script type="module" src="console.js"></script>"#

    /// Joins the page.
    /// - Parameter path: The path at which the server takes WebSockets, as it comes in a request target.
    init(path: String) {
        let style = "\n" + String(decoding: PackageResources.console_css, as: UTF8.self)
        let script = "\n" + Self.script
        let lines = Self.lines(of: PackageResources.console_html).map { line in
            switch line {
            case Self.pathLine: #"<meta name="wsx-path" content="\#(Self.attribute(path))">"#
            case Self.styleLine: "<style>\(style)</style>"
            case Self.scriptLine: #"<script type="module">\#(script)</script>"#
            default: String(line)
            }
        }
        text = lines.joined(separator: "\n")
        contentSecurityPolicy = [
            "default-src 'none'", "script-src '\(Digest.sha256Source(of: script))'",
            "style-src '\(Digest.sha256Source(of: style))'", "img-src data:", "connect-src ws: wss:", "base-uri 'none'",
            "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
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

    /// The modules as one, in which there is nothing to import: each such statement is a line, and `export` begins one.
    private static var script: String {
        modules.map { module in
            lines(of: module.source).filter { !$0.hasPrefix("import ") }
                .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
                .joined(separator: "\n")
        }.joined()
    }

    private static func lines(of bytes: [UInt8]) -> [Substring] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
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
