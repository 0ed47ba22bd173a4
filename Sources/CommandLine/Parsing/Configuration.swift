/// The contents of a configuration file: default options, and named profiles of options.
///
/// The format is INI, as git and other tools use it:
///
///     # Options before the first section are defaults.
///     connect-timeout = 5s
///
///     [prod]
///     url = wss://api.example/socket
///     bearer = env:API_TOKEN
///     header = X-Team: search
///     location
///
/// - A line is blank, a comment that begins with `#` or `;`, a section, or an option. Comments need their own line.
/// - A section is a profile. The option `url`, or the like, is the operand of commands that take a profile.
/// - The name of an option is its long name without hyphens. An option without a value may stand alone, or be `true` or
///   `false`. `false` withdraws the option if it was set before.
/// - A value ends with its line, without spaces at its ends. In double quotes it keeps them, and `\"` and `\\` stand for
///   a quote and a backslash.
///
/// The parser is ours. The C library that fits best, inih, can report line numbers, accept options without a value, and
/// keep `;` in values, but Debian's build has these settings turned off.
public struct Configuration: Equatable, Sendable {
    /// An option as written in the file.
    public struct Entry: Equatable, Sendable {
        /// The name, without hyphens.
        public let name: String
        /// The value without quotes, or `nil` without an equals sign.
        public let value: String?
        /// The number of the line, from 1.
        public let line: Int
    }

    /// A section of the file.
    public struct Profile: Equatable, Sendable {
        /// The name: ASCII letters, digits, `-`, `_`, and `.`.
        public let name: String
        /// The number of the line with the name.
        public let line: Int
        /// The options, in order.
        public fileprivate(set) var entries: [Entry] = []
    }

    /// The path of the file. Empty if the configuration is disabled.
    public let path: String
    /// The reason there is no file, or `nil` if there is one.
    public let absence: String?
    /// The options before the first section.
    public private(set) var defaults: [Entry] = []
    /// The sections, in order.
    public private(set) var profiles: [Profile] = []
    /// The user's home directory, for which `~` stands at the beginning of a path.
    public let home: String?

    /// Creates a configuration without a file.
    /// - Parameters:
    ///   - path: The path of the file that does not exist.
    ///   - absence: A clause that explains why there is no configuration.
    public init(path: String, absence: String) {
        self.path = path
        self.absence = absence
        home = nil
    }

    /// Parses a file.
    /// - Throws: ``ConfigurationError`` with the number of the first line that has an error.
    public init(parsing text: String, path: String, home: String? = nil) throws(ConfigurationError) {
        self.path = path
        self.home = home
        absence = nil
        var bytes = text.utf8[...]
        if bytes.starts(with: "\u{FEFF}".utf8) { bytes = bytes.dropFirst(3) }
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            do throws(ConfigurationError.Reason) {
                try receive(ConfigurationLine(Substring(line)), number: index + 1)
            } catch {
                throw ConfigurationError(path: path, line: index + 1, reason: error)
            }
        }
    }

    private mutating func receive(_ line: ConfigurationLine, number: Int) throws(ConfigurationError.Reason) {
        switch line {
        case .nothing: break
        case .section(let name):
            if let earlier = profile(named: name) { throw .repeatedProfile(name, firstLine: earlier.line) }
            profiles.append(Profile(name: name, line: number))
        case .option(let name, let value):
            let entry = Entry(name: name, value: value, line: number)
            if profiles.isEmpty {
                defaults.append(entry)
            } else {
                profiles[profiles.count - 1].entries.append(entry)
            }
        }
    }

    /// The profile with a name.
    public func profile(named name: String) -> Profile? { profiles.first { $0.name == name } }

    /// Whether a word refers to a profile, or is `@` without the name.
    static func isProfileReference(_ word: String) -> Bool { word == "@" || profileName(in: word) != nil }

    /// The name of the profile that a word refers to: `prod` for `@prod`. Returns `nil` for other words.
    public static func profileName(in word: String) -> String? {
        guard word.utf8.first == UInt8(ascii: "@") else { return nil }
        let name = word.utf8.dropFirst()
        return isProfileName(name) ? String(Substring(name)) : nil
    }

    /// Whether a section may have this name.
    static func isProfileName(_ name: Substring.UTF8View) -> Bool {
        !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-_.".utf8.contains(byte)
                }
            }
    }
}

/// The meaning of one line.
private enum ConfigurationLine {
    /// A blank line or a comment.
    case nothing
    case section(String)
    case option(name: String, value: String?)

    init(_ line: Substring) throws(ConfigurationError.Reason) {
        let bytes = Self.trimmed(line.utf8)
        guard !bytes.contains(0) else { throw .nul }
        if bytes.isEmpty || Self.isComment(bytes) {
            self = .nothing
        } else if bytes.first == UInt8(ascii: "[") {
            self = .section(try Self.sectionName(bytes))
        } else {
            self = try Self.option(bytes)
        }
    }

    private static func sectionName(_ bytes: Substring.UTF8View) throws(ConfigurationError.Reason) -> String {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .unclosedSection }
        let rest = trimmed(bytes[bytes.index(after: end)...])
        guard rest.isEmpty || isComment(rest) else { throw .textAfterSection }
        let name = trimmed(bytes[..<end].dropFirst())
        guard Configuration.isProfileName(name) else { throw .badProfileName(String(Substring(name))) }
        return String(Substring(name))
    }

    private static func option(_ bytes: Substring.UTF8View) throws(ConfigurationError.Reason) -> ConfigurationLine {
        let sign = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = trimmed(bytes[..<(sign ?? bytes.endIndex)])
        let hyphens = name.prefix { $0 == UInt8(ascii: "-") }
        guard !name.isEmpty, hyphens.count < name.count, !name.contains(where: isSpace) else { throw .notAnOption }
        guard hyphens.isEmpty else { throw .hyphens(String(Substring(name.dropFirst(hyphens.count)))) }
        let value = try sign.map { (sign) throws(ConfigurationError.Reason) in
            try self.value(trimmed(bytes[bytes.index(after: sign)...]))
        }
        return .option(name: String(Substring(name)), value: value)
    }

    /// The value without quotes.
    private static func value(_ bytes: Substring.UTF8View) throws(ConfigurationError.Reason) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return String(Substring(bytes)) }
        var value: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard rest.isEmpty else { throw .textAfterQuote }
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == byte else {
                    throw .unknownEscape
                }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        throw .unclosedQuote
    }

    private static func isComment(_ bytes: Substring.UTF8View) -> Bool {
        bytes.first == UInt8(ascii: "#") || bytes.first == UInt8(ascii: ";")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}

/// The access of a parser to the user's configuration, which it reads only for commands with options.
public struct ConfigurationSource {
    /// A place in the file that set an option.
    public struct Place: Equatable, Sendable {
        /// The name of the option with its hyphens, or the placeholder of an operand.
        public let name: String
        /// The path of the file.
        public let path: String
        /// The number of the line.
        public let line: Int
    }

    /// Reads the configuration. Called at most once for each command line.
    let load: () throws(UsageError) -> Configuration
    /// Receives the places of the options that take effect, because problems of some values show up only later.
    let didUse: ([Place]) -> Void

    /// Creates a source.
    public init(load: @escaping () throws(UsageError) -> Configuration, didUse: @escaping ([Place]) -> Void = { _ in })
    {
        self.load = load
        self.didUse = didUse
    }

    /// No configuration.
    public static var none: ConfigurationSource {
        ConfigurationSource(load: { Configuration(path: "", absence: "there is no configuration file") })
    }
}
