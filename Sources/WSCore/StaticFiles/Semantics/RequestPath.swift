/// The path of a request as names of directories and of a file, each decoded once (RFC 3986 §2.4).
struct RequestPath: Equatable {
    /// The names from the root on: not empty, without slash, backslash and NUL, and none begins with a dot but
    /// `.well-known` (RFC 8615).
    let names: [String]
    /// Whether a slash follows the last name, as it does after that of a directory; the root has one, too.
    let endsWithSlash: Bool

    /// Takes the path of a request target, or throws ``RequestPathError``.
    init(parsing path: String) throws(RequestPathError) {
        var pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        // A path begins with a slash: nothing comes before it.
        guard let beginning = pieces.popFirst(), beginning.isEmpty, let last = pieces.last else { throw .malformed }
        endsWithSlash = last.isEmpty
        if endsWithSlash { pieces.removeLast() }
        var names: [String] = []
        for piece in pieces { names.append(try Self.name(decoding: Substring(piece))) }
        self.names = names
    }

    /// The path as it is written in a URL, with a slash at its end: no host can hide in it, as it would behind two
    /// slashes at the beginning.
    var directoryText: String { "/" + names.map { Self.encode($0) + "/" }.joined() }

    /// A name as it is written in a URL.
    static func encode(_ name: String) -> String {
        PercentEncoding.encode(name.utf8) { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0) }
    }

    /// Whether a request can name a file so. What begins with a dot is nobody's business: `.git`, `.env`.
    static func isServed(_ name: String) -> Bool {
        (try? checkName(name)) != nil
    }

    private static func name(decoding piece: Substring) throws(RequestPathError) -> String {
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
        // A slash or NUL in a name would lead elsewhere than the path says, and so does a backslash in browsers.
        guard !bytes.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }) else {
            throw .malformed
        }
        guard bytes.first == UInt8(ascii: ".") else { return }
        // RFC 3986 §5.2.4: a client resolves dot segments before it sends a path.
        if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { throw .malformed }
        guard bytes.elementsEqual(".well-known".utf8) else { throw .notServed }
    }
}

/// Why a request's path leads nowhere.
enum RequestPathError: Error, Equatable {
    /// No client that means well writes it so: a broken escape, bytes that are not UTF-8, a slash, backslash or NUL in
    /// a name, or a dot segment.
    case malformed
    /// There can be such a file, but it is not for others, or the path has a name of no length.
    case notServed
}
