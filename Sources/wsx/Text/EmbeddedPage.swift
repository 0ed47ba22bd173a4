import WSCore

/// A page of the program, all in one file that loads nothing.
///
/// It is joined from files that are the program's resources: style and script take the places of the lines that refer to
/// them. In a directory of their own those files work as they are.
struct EmbeddedPage {
    private let html: [UInt8]
    private let style: String
    private let script: String

    /// Prepares a page.
    /// - Parameter modules: Those of the script, each after those that it imports.
    init(html: [UInt8], style: [UInt8], modules: [[UInt8]]) {
        self.html = html
        self.style = "\n" + String(decoding: style, as: UTF8.self)
        script = "\n" + Self.joined(modules)
    }

    /// The parts of a Content-Security-Policy that let the page's own script and style work, and no others: they are known
    /// by their hashes.
    var ownSources: [String] {
        ["script-src '\(Digest.sha256Source(of: script))'", "style-src '\(Digest.sha256Source(of: style))'"]
    }

    /// The page.
    /// - Parameter replacements: Lines of the HTML, and what takes their places.
    func text(replacing replacements: [String: String]) -> String {
        let lines = Self.lines(of: html).map { line in
            if line.hasPrefix(#"<link rel="stylesheet""#) { return "<style>\(style)</style>" }
            if line.hasPrefix(#"<script type="module""#) { return #"<script type="module">\#(script)</script>"# }
            return replacements[String(line)] ?? String(line)
        }
        return lines.joined(separator: "\n")
    }

    /// The modules as one, in which there is nothing to import: each such statement is a line, and `export` begins one.
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
