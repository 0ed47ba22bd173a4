import WSCore

/// A web page of the program as a single file that loads nothing.
///
/// It is assembled from resource files: the lines that refer to the style sheet and the script are replaced by their
/// contents. The files also work unassembled in one directory.
struct EmbeddedPage {
    private let html: [UInt8]
    private let style: String
    private let script: String

    /// Prepares a page.
    /// - Parameter modules: The modules of the script, each after the modules it imports.
    init(html: [UInt8], style: [UInt8], modules: [[UInt8]]) {
        self.html = html
        self.style = "\n" + String(decoding: style, as: UTF8.self)
        script = "\n" + Self.joined(modules)
    }

    /// The Content-Security-Policy directives that allow only the page's own script and style, identified by their
    /// hashes.
    var ownSources: [String] {
        ["script-src '\(Digest.sha256Source(of: script))'", "style-src '\(Digest.sha256Source(of: style))'"]
    }

    /// Assembles the page.
    /// - Parameter replacements: The replacements for lines of the HTML.
    func text(replacing replacements: [String: String]) -> String {
        let lines = Self.lines(of: html).map { line in
            if line.hasPrefix(#"<link rel="stylesheet""#) { return "<style>\(style)</style>" }
            if line.hasPrefix(#"<script type="module""#) { return #"<script type="module">\#(script)</script>"# }
            return replacements[String(line)] ?? String(line)
        }
        return lines.joined(separator: "\n")
    }

    /// Concatenates the modules. Removes import statements, each of which is one line, and the keyword `export` at the
    /// beginning of lines.
    private static func joined(_ modules: [[UInt8]]) -> String {
        modules.map { source in
            lines(of: source).filter { !$0.hasPrefix("import ") }
                .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
                .joined(separator: "\n")
        }.joined()
    }

    private static func lines(of bytes: [UInt8]) -> [Substring] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }
}
