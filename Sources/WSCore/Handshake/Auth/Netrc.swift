/// The logins in a .netrc file, which ftp, curl, git, and other programs share.
///
/// The file is a sequence of words: `machine` and a host, or `default`, followed by `login`, `password`, and `account`
/// with a value each. A value in double quotes may contain spaces, and backslashes as curl reads them. Where a keyword
/// is expected, `#` begins a comment. `macdef` begins a macro for ftp, which ends at an empty line and is ignored.
package struct Netrc: Equatable, Sendable {
    /// The login for a host.
    package struct Entry: Equatable, Sendable {
        /// The host as written, or `nil` for the default entry.
        package let machine: String?
        /// The number of the line with the host.
        package let line: Int
        /// The user name.
        package fileprivate(set) var login: String?
        /// The password.
        package fileprivate(set) var password: String?
    }

    /// The entries in order.
    package private(set) var entries: [Entry] = []

    /// Parses a file.
    /// - Throws: ``NetrcError`` with the number of the first line that has an error. It contains no password.
    package init(parsing bytes: [UInt8]) throws(NetrcError) {
        var words = NetrcWords(bytes)
        while let keyword = words.keyword() {
            switch keyword.text {
            case "machine": entries.append(Entry(machine: try words.value(of: keyword), line: keyword.line))
            case "default": entries.append(Entry(machine: nil, line: keyword.line))
            case "login", "user": try set(\.login, to: try words.value(of: keyword), keyword)
            case "password", "passwd": try set(\.password, to: try words.value(of: keyword), keyword)
            case "account": _ = try words.value(of: keyword)
            case "macdef":
                _ = try words.value(of: keyword)
                words.skipMacro()
            default: throw NetrcError(line: keyword.line, reason: .unknownWord)
            }
        }
    }

    private mutating func set(
        _ member: WritableKeyPath<Entry, String?>, to value: String, _ keyword: NetrcWords.Keyword
    ) throws(NetrcError) {
        guard !entries.isEmpty else { throw NetrcError(line: keyword.line, reason: .noMachine(keyword.text)) }
        entries[entries.count - 1][keyPath: member] = value
    }

    /// The first entry for a host, or else the default entry. Entries without a login count only if no other one fits.
    /// - Parameters:
    ///   - host: The host of a URL: a name, or an IP address without brackets. Case is ignored.
    ///   - user: The user whose password is wanted; nil: any. An entry without a login is for all users.
    package func entry(for host: String, user: String? = nil) -> Entry? {
        let fitting = entries.filter { entry in
            guard let user, let login = entry.login else { return true }
            return login.utf8.elementsEqual(user.utf8)
        }
        let own = fitting.filter { entry in
            entry.machine.map { ASCII.areEqualIgnoringCase(Self.withoutBrackets($0), host) } ?? false
        }
        let candidates = own.isEmpty ? fitting.filter { $0.machine == nil } : own
        return candidates.first { $0.login != nil } ?? candidates.first
    }

    private static func withoutBrackets(_ machine: String) -> String {
        guard machine.hasPrefix("["), machine.hasSuffix("]") else { return machine }
        return String(machine.dropFirst().dropLast())
    }
}

/// An error in a .netrc file.
package struct NetrcError: Error, Equatable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Reason: Equatable, Sendable {
        /// A word is not a keyword. It may be a part of a password and is not shown.
        case unknownWord
        /// The keyword stands before the first machine.
        case noMachine(String)
        /// The file ends behind the keyword.
        case missingValue(String)
        case unclosedQuote
        case notText
    }

    /// The number of the line, from 1.
    package let line: Int
    /// The kind of error.
    package let reason: Reason

    /// The problem and the remedy.
    package var description: String {
        switch reason {
        case .unknownWord: "unknown word; put values that contain spaces in double quotes"
        case .noMachine(let keyword): "'\(keyword)' must follow 'machine' and a host, or 'default'"
        case .missingValue(let keyword): "'\(keyword)' needs a value"
        case .unclosedQuote: "the closing quote is missing"
        case .notText: "it is not UTF-8 text"
        }
    }
}

/// Splits a .netrc file into words.
private struct NetrcWords {
    struct Keyword {
        let text: String
        let line: Int
    }

    private var rest: ArraySlice<UInt8>
    private var line = 1

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next word that is not part of a comment, or `nil` at the end. Invalid UTF-8 is repaired: it is no keyword.
    mutating func keyword() -> Keyword? {
        skipSpace()
        while rest.first == UInt8(ascii: "#") {
            skipLine()
            skipSpace()
        }
        guard !rest.isEmpty else { return nil }
        return Keyword(text: String(decoding: plainWord(), as: UTF8.self), line: line)
    }

    /// The word after a keyword, without quotes.
    mutating func value(of keyword: Keyword) throws(NetrcError) -> String {
        skipSpace()
        guard let first = rest.first else {
            throw NetrcError(line: keyword.line, reason: .missingValue(keyword.text))
        }
        let start = line
        let bytes = first == UInt8(ascii: "\"") ? try quotedWord() : Array(plainWord())
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NetrcError(line: start, reason: .notText)
        }
        return text
    }

    /// Skips the rest of the line and all lines up to an empty one.
    mutating func skipMacro() {
        skipLine()
        while let first = rest.first {
            let isEmpty = first == UInt8(ascii: "\n") || rest.starts(with: "\r\n".utf8)
            skipLine()
            if isEmpty { return }
        }
    }

    private mutating func plainWord() -> ArraySlice<UInt8> {
        let word = rest.prefix { !Self.isSpace($0) }
        rest = rest.dropFirst(word.count)
        return word
    }

    private mutating func quotedWord() throws(NetrcError) -> [UInt8] {
        let start = line
        var word: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return word
            case UInt8(ascii: "\\"):
                switch rest.popFirst() {
                case UInt8(ascii: "n"): word.append(UInt8(ascii: "\n"))
                case UInt8(ascii: "r"): word.append(UInt8(ascii: "\r"))
                case UInt8(ascii: "t"): word.append(UInt8(ascii: "\t"))
                case let escaped?:
                    if escaped == UInt8(ascii: "\n") { line += 1 }
                    word.append(escaped)
                case nil: break
                }
            default:
                if byte == UInt8(ascii: "\n") { line += 1 }
                word.append(byte)
            }
        }
        throw NetrcError(line: start, reason: .unclosedQuote)
    }

    private mutating func skipSpace() {
        while let byte = rest.first, Self.isSpace(byte) {
            if byte == UInt8(ascii: "\n") { line += 1 }
            rest = rest.dropFirst()
        }
    }

    private mutating func skipLine() {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
        if rest.popFirst() != nil { line += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        ASCII.isOptionalWhitespace(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
