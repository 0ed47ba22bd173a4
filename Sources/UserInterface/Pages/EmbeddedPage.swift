import CPages
import WSCore

/// A web page of the program as a single file that loads nothing.
///
/// It is assembled from the files in `Sources/CPages`: the lines that refer to style sheets and to the script are replaced
/// by their contents. The files also work unassembled in their folders.
package struct EmbeddedPage {
    /// The files of the script's modules, each after the modules it imports.
    let modules: [String]
    private let html: String
    private let style: String
    private let script: String

    /// Prepares a page from files, given by name.
    /// - Parameters:
    ///   - styles: The style sheets, in their order in the HTML.
    ///   - modules: The modules of the script, each after the modules it imports.
    init(html: String, styles: [String], modules: [String]) {
        self.html = Self.contents(of: html)
        self.modules = modules
        style = "\n" + styles.map(Self.contents).joined()
        script = "\n" + Self.joined(modules)
    }

    /// The contents of a file in the program.
    static func contents(of name: String) -> String {
        guard let text = wsx_page(name) else { preconditionFailure("there is no file \(name)") }
        return String(cString: text)
    }

    /// The Content-Security-Policy directives that allow only the page's own script and style, identified by their
    /// hashes.
    package var ownSources: [String] {
        ["script-src '\(Digest.sha256Source(of: script))'", "style-src '\(Digest.sha256Source(of: style))'"]
    }

    /// Assembles the page.
    /// - Parameter replacements: The replacements for lines of the HTML.
    package func text(replacing replacements: [String: String]) -> String {
        lines(replacing: replacements).joined(separator: "\n")
    }

    /// Assembles the page without one line of the HTML.
    /// - Returns: The texts before and after the line, with their line ends.
    package func parts(around line: String, replacing replacements: [String: String]) -> (before: String, after: String)
    {
        let lines = self.lines(replacing: replacements)
        let index = lines.firstIndex(of: line) ?? lines.count
        return (
            lines[..<index].map { $0 + "\n" }.joined(), lines[index...].dropFirst().joined(separator: "\n")
        )
    }

    private func lines(replacing replacements: [String: String]) -> [String] {
        var hasStyle = false
        return Self.lines(of: html).compactMap { line in
            if line.hasPrefix(#"<link rel="stylesheet""#) {
                defer { hasStyle = true }
                return hasStyle ? nil : "<style>\(style)</style>"
            }
            if line.hasPrefix(#"<script type="module""#) { return #"<script type="module">\#(script)</script>"# }
            return replacements[String(line)] ?? String(line)
        }
    }

    /// The line with the policy of a page that is a file.
    package static let policyLine = #"<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"#

    /// The line with the policy of a page that is a file, which allows only its own script, style, and images.
    package var filePolicy: String {
        #"<meta http-equiv="Content-Security-Policy" content="\#(filePolicyText)">"#
    }

    private var filePolicyText: String {
        (["default-src 'none'"] + ownSources + [
            "img-src data:", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]).joined(separator: "; ")
    }

    /// The line that makes a page live, in place of that with a policy. It has the policy for a copy that is a file.
    package var liveLine: String { #"<meta name="wsx-live" content="\#(filePolicyText)">"# }

    /// The policy of a page that a server sends. It allows the page's own script, style, and images, and connections to
    /// these servers. Injected scripts do not run, and text never becomes markup.
    private func servedPolicy(connectingTo servers: String) -> String {
        (["default-src 'none'"] + ownSources + [
            "img-src data:", "connect-src \(servers)", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ]).joined(separator: "; ")
    }

    /// The page as an HTTP resource.
    /// - Parameters:
    ///   - text: The assembled page.
    ///   - servers: The servers that it may connect to, as in its policy. Defaults to all WebSocket servers.
    package func webPage(at path: String, text: String, connectingTo servers: String = "ws: wss:") -> WebPage {
        WebPage(
            path: path, mediaType: "text/html; charset=utf-8",
            fields: [
                HeaderField(wellFormedName: "Content-Security-Policy", value: servedPolicy(connectingTo: servers)),
                HeaderField(wellFormedName: "Referrer-Policy", value: "no-referrer"),
            ],
            bytes: Array(text.utf8))
    }

    /// Concatenates the modules. Removes import statements, each of which is one line, and the keyword `export` at the
    /// beginning of lines.
    private static func joined(_ modules: [String]) -> String {
        modules.map { name in
            lines(of: contents(of: name)).filter { !$0.hasPrefix("import ") }
                .map { $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0 }
                .joined(separator: "\n")
        }.joined()
    }

    /// Appends a JSON text without characters that have a meaning in HTML or end lines in scripts. The JSON value stays
    /// the same. Outside strings, JSON contains none of these characters.
    package static func appendMarkupFree(_ json: RawSpan, to buffer: inout ByteBuffer) {
        var start = 0
        for index in 0..<json.byteCount {
            let byte = json.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            let escape: StaticString
            switch byte {
            case UInt8(ascii: "<"): escape = "\\u003c"
            case UInt8(ascii: ">"): escape = "\\u003e"
            case UInt8(ascii: "&"): escape = "\\u0026"
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
            case 0xA8 where isLineEnd(json, before: index): escape = "\\u2028"
            case 0xA9 where isLineEnd(json, before: index): escape = "\\u2029"
            default: continue
            }
            buffer.append(json.extracting(start..<(byte < 0x80 ? index : index - 2)))
            buffer.append(literal: escape)
            start = index + 1
        }
        buffer.append(json.extracting(start..<json.byteCount))
    }

    private static func isLineEnd(_ json: RawSpan, before index: Int) -> Bool {
        index >= 2 && json.unsafeLoad(fromByteOffset: index - 2, as: UInt8.self) == 0xE2
            && json.unsafeLoad(fromByteOffset: index - 1, as: UInt8.self) == 0x80
    }

    /// A JSON text without characters that have a meaning in HTML.
    package static func markupFree(_ json: String) -> String {
        var buffer = ByteBuffer()
        appendMarkupFree(Array(json.utf8).span.bytes, to: &buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
