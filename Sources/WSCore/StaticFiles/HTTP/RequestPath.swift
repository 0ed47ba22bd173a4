/// A request's path, split into names and percent-decoded once (RFC 3986 §2.4).
struct RequestPath: Equatable {
    /// The names from the root on. They are nonempty and contain no slash, backslash, or NUL. None begins with a dot
    /// except `.well-known` (RFC 8615).
    let names: [String]
    /// Whether the path ends with a slash, which marks a directory. True for the root.
    let endsWithSlash: Bool

    /// Parses the path of a request target.
    /// - Throws: ``RequestPathError``.
    init(parsing path: String) throws(RequestPathError) {
        let (bytes, slash) = (Array(path.utf8), UInt8(ascii: "/"))
        guard bytes.first == slash else { throw .malformed }
        endsWithSlash = bytes.last == slash
        var names: [String] = []
        // The empty texts before the first slash, and after a final one, are no names.
        for piece in bytes.split(separator: slash, omittingEmptySubsequences: false).dropFirst() {
            if endsWithSlash, piece.endIndex == bytes.count { break }
            names.append(try Self.name(decoding: String(decoding: piece, as: UTF8.self)))
        }
        self.names = names
    }

    /// The path of a directory in a URL, with a final slash. It never begins with two slashes, so it cannot be mistaken
    /// for a URL with a host.
    var directoryText: String { "/" + names.map { Self.encode($0) + "/" }.joined() }

    /// Encodes a name for a URL.
    static func encode(_ name: String) -> String {
        PercentEncoding.encode(name.utf8) { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0) }
    }

    /// Whether a request may name this file. Hidden files such as `.git` and `.env` are never served.
    static func isServed(_ name: String) -> Bool {
        (try? checkName(name)) != nil
    }

    private static func name(decoding piece: String) throws(RequestPathError) -> String {
        let name: String
        do throws(URLError) {
            name = try PercentEncoding.decode(piece)
        } catch {
            throw .malformed
        }
        try checkName(name)
        return name
    }

    private static func checkName(_ name: String) throws(RequestPathError) {
        let bytes = name.utf8
        guard !bytes.isEmpty else { throw .notServed }
        // A slash or NUL in a name would lead to a different file, and so would a backslash in browsers.
        guard ASCII.allSatisfy(name, { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") && $0 != 0 }) else {
            throw .malformed
        }
        guard bytes.first == UInt8(ascii: ".") else { return }
        // RFC 3986 §5.2.4: a client removes dot segments before it sends a path.
        if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { throw .malformed }
        guard bytes.elementsEqual(".well-known".utf8) else { throw .notServed }
    }
}

/// The reason a request's path is rejected.
enum RequestPathError: Error, Equatable {
    /// No well-meaning client sends this path: it has a malformed escape, invalid UTF-8, a slash, backslash, or NUL in
    /// a name, or a dot segment.
    case malformed
    /// The file is not served, or a name is empty.
    case notServed
}
