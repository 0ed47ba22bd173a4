/// The index page of a directory.
struct DirectoryIndex {
    /// A file or directory on the page.
    struct Entry {
        let name: String
        /// The length in bytes, or `nil` for a directory.
        let size: Int?
        /// The time of the last modification, in seconds since 1970-01-01 00:00 UTC.
        let modifiedSeconds: Int
    }

    /// The path of the directory.
    let path: RequestPath
    /// The entries of the directory.
    let entries: [Entry]
    /// Whether the directory has further entries.
    let isCut: Bool

    /// The HTML of the page: directories first, each group sorted by the bytes of the names. Names are escaped: they
    /// are never parsed as HTML or as another URL.
    var html: String {
        let title = Self.escaped(path.names.reduce("/") { $0 + $1 + "/" })
        var rows = path.names.isEmpty ? "" : Self.row(link: "../", text: "../", size: "", date: "")
        for entry in entries.sorted(by: Self.areInOrder) {
            let slash = entry.size == nil ? "/" : ""
            rows += Self.row(
                link: RequestPath.encode(entry.name) + slash, text: Self.escaped(entry.name) + slash,
                size: entry.size.map { "\($0)" } ?? "",
                date: HTTPDate.text(ofSeconds: entry.modifiedSeconds))
        }
        let rest = isCut ? "<p>This directory has more entries; only \(entries.count) are shown.</p>\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>
            :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
            body { margin: 2rem; }
            td { padding: 0 2rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
            td + td { text-align: right; white-space: nowrap; }
            </style>
            </head>
            <body>
            <h1>\(title)</h1>
            <table>
            \(rows)</table>
            \(rest)</body>
            </html>

            """
    }

    /// The page needs only its own style sheet.
    static let securityPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

    private static func areInOrder(_ left: Entry, _ right: Entry) -> Bool {
        if (left.size == nil) != (right.size == nil) { return left.size == nil }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    private static func row(link: String, text: String, size: String, date: String) -> String {
        "<tr><td><a href=\"\(link)\">\(text)</a></td><td>\(size)</td><td>\(date)</td></tr>\n"
    }

    /// Escapes text for HTML, after making control characters visible.
    private static func escaped(_ text: String) -> String {
        escapingMarkup(escapingControls(text))
    }
}
