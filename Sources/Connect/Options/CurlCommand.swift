import CommandLine
import UserInterface
import WSCore

/// A curl command, as developer tools of browsers copy it, as words of `wsx connect`.
///
/// Values are literal: `env:`, `exec:`, and placeholders have no meaning in them, because a copied command must not run
/// programs or read variables. Header fields become `Name: value`, and URLs get a scheme, so that neither can be
/// mistaken for a reference. Other values that could be are rejected (``literal(_:of:for:)``).
package struct CurlCommand {
    /// The options without an effect, in order.
    private(set) var ignored: [String] = []
    private var url: String?
    var fields = CurlFields()
    /// The options of `wsx connect`.
    private var options: [String] = []
    /// The words after `--`, which are those of `wsx connect`.
    private var ownWords: [String] = []
    var proxy: String?
    var proxyUser: String?
    var isInsecure = false
    var followsRedirects = false
    /// Whether braces and brackets of the URL have a meaning, so that backslashes may precede them.
    var isGlobbing = true

    package static let operands = [
        OperandSpecification<Void>(
            "ARGUMENT", required: true, repeatable: true, example: "https://localhost:8080/",
            summary: "The words of a curl command"
        ) { _, _ in },
        OperandSpecification<Void>(
            "-- OPTION...", required: false, summary: "Options and messages of wsx connect"
        ) { _, _ in },
    ]

    /// Parses the words after `curl`.
    package init(_ words: [String]) throws(UsageError) {
        // Pasted after `wsx curl`.
        var rest = words.first == "curl" || words.first == "curl.exe" ? words.dropFirst() : words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                ownWords = Array(rest)
                return
            }
            if word.hasPrefix("--") {
                try apply(try CurlOption.named(word), typed: word) { () throws(UsageError) in
                    try Self.nextValue(of: word, &rest)
                }
            } else if word.hasPrefix("-"), word != "-" {
                var letters = word.dropFirst()
                while let letter = letters.popFirst() {
                    let typed = "-\(letter)"
                    try apply(try CurlOption.named(typed), typed: typed) { () throws(UsageError) in
                        defer { letters = "" }
                        return letters.isEmpty ? try Self.nextValue(of: typed, &rest) : String(letters)
                    }
                }
            } else {
                try take(url: word)
            }
        }
    }

    private static func nextValue(of typed: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw .missingValue(option: typed, placeholder: "VALUE") }
        return value
    }

    private mutating func apply(
        _ option: CurlOption, typed: String, value: () throws(UsageError) -> String
    ) throws(UsageError) {
        let value = option.takesValue ? try value() : ""
        switch option.effect {
        case .none: break
        case .ignored: ignored.append(typed)
        case .rejected(let remedy): throw .foreignOption(typed, remedy: remedy)
        case .option(let long): options.append(option.takesValue ? "--\(long)=\(value)" : "--\(long)")
        case .update(let update): try update(&self, typed, value)
        }
    }

    // MARK: Parts of the command

    /// Takes the URL. `https` and `http` become `wss` and `ws`, and a URL without a scheme is `ws`, as for curl.
    mutating func take(url typed: String) throws(UsageError) {
        func problem(_ words: String) -> UsageError {
            .badValue(name: "URL", value: typed, problem: .unusable(words: words))
        }
        guard !typed.hasPrefix("^") else {
            throw problem("the carets are those of cmd.exe; copy the command for bash")
        }
        guard !typed.hasPrefix("@") else { throw problem("curl has no profiles; use 'wsx connect'") }
        guard url == nil else { throw problem("it is the second one; write messages after --") }
        let schemes = ["https": "wss://", "http": "ws://", "wss": "wss://", "ws": "ws://"]
        var rest = typed.utf8.prefix { $0 != UInt8(ascii: "#") }
        var scheme = "ws://"
        if MisplacedValue.isURL(typed) {
            let name = Self.scheme(of: typed)
            guard let known = schemes[name] else { throw problem("the scheme is not http, https, ws, or wss") }
            scheme = known
            rest = rest.dropFirst(name.utf8.count + 3)
        }
        guard !rest.isEmpty else { throw problem("the host is missing") }
        url = scheme + String(Substring(rest))
    }

    /// Adds the field of `-H`. `Name;` is a field without a value, and `Name:` omits a default one.
    mutating func add(header text: String) {
        // The only form that is the same in curl and wsx.
        if text.hasPrefix("@") { return add("header", text) }
        let name = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: ":") }))
        if name.utf8.count < text.utf8.count {
            var value = text.utf8.dropFirst(name.utf8.count + 1).drop(while: Self.isSpace)
            while let last = value.last, Self.isSpace(last) { value.removeLast() }
            add(HeaderField(wellFormedName: name, value: String(Substring(value))), isOmitted: value.isEmpty)
        } else if text.hasSuffix(";") {
            add(HeaderField(wellFormedName: String(text.dropLast()), value: ""), isOmitted: false)
        } else {
            // Explains what is missing.
            add("header", text)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private mutating func add(_ field: HeaderField, isOmitted: Bool) {
        if !fields.add(field, isOmitted: isOmitted) { ignored.append("-H '\(field.name)'") }
    }

    /// Adds the value of `-b`: cookies, or the name of a file.
    mutating func add(cookie text: String) {
        if text.utf8.contains(UInt8(ascii: "=")) {
            fields.optionCookies.append(text)
        } else if !text.isEmpty {
            add("cookie", SecretReference.isReference(text) ? "./" + text : text)
        }
    }

    /// Adds an option of `wsx connect` with a value.
    mutating func add(_ long: String, _ value: String) { options.append("--\(long)=\(value)") }

    /// Adds an option of `wsx connect` without a value.
    mutating func add(_ long: String) { options.append("--\(long)") }

    /// Returns a value that wsx would not read as a reference.
    static func literal(_ value: String, of typed: String, for long: String) throws(UsageError) -> String {
        guard SecretReference.isReference(value) else { return value }
        let remedy = "values in curl commands are literal; set a variable, and write -- --\(long) env:NAME"
        throw .badValue(
            name: typed, value: value,
            problem: .unusable(words: "wsx would read a file, variable, or program; \(remedy)", hidesValue: true))
    }
}

// MARK: The words of wsx

extension CurlCommand {
    /// The words after `wsx connect`. The user's own words follow, so that they take precedence.
    package var words: [String] {
        get throws(UsageError) {
            guard var url else {
                throw .missingOperand("URL", command: Command.curl.rawValue, example: "https://localhost:8080/")
            }
            if isGlobbing { url = Self.unescapingGlobs(url) }
            var options = options
            if fields.omits("authorization") {
                options.removeAll { $0.hasPrefix("--auth=") || $0.hasPrefix("--bearer=") || $0 == "--netrc" }
            }
            var words = [url] + options + fields.compressionOptions
            if isInsecure, usesTLS(url) { words.append("--insecure") }
            words += fields.options(for: url)
            if let proxy = try proxyURL { words.append("--proxy=" + proxy) }
            return words + ownWords
        }
    }

    /// The arguments of these words, with what no word expresses.
    package func completing(_ arguments: ConnectArguments) throws(UsageError) -> ConnectArguments {
        var arguments = arguments
        arguments.curl.ignoredOptions = ignored
        guard arguments.data.usesTemplates else { return arguments }
        let values = fields.values + options + [url].compactMap { $0 }
        if values.contains(where: Self.hasPlaceholder) {
            throw .conflict("--template", "{{ in a curl command")
        }
        return arguments
    }

    private static func hasPlaceholder(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == (UInt8(ascii: "{"), UInt8(ascii: "{")) }
    }

    /// Removes the backslashes with which developer tools escape braces and brackets.
    private static func unescapingGlobs(_ url: String) -> String {
        var bytes: [UInt8] = []
        for byte in url.utf8 {
            if "[]{}".utf8.contains(byte), bytes.last == UInt8(ascii: "\\") { bytes.removeLast() }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func usesTLS(_ url: String) -> Bool {
        url.hasPrefix("wss:") || followsRedirects || proxy?.hasPrefix("https:") ?? false
    }

    // MARK: Proxy

    private static func scheme(of url: String) -> String {
        Substring(url.utf8.prefix { $0 != UInt8(ascii: ":") }).lowercased()
    }

    /// The URL of the proxy with the user and password of `-U`; empty: no proxy.
    private var proxyURL: String? {
        get throws(UsageError) {
            guard let proxy, !proxy.isEmpty else { return proxy }
            let isURL = MisplacedValue.isURL(proxy)
            let scheme = isURL ? Self.scheme(of: proxy) : "http"
            // Also because a value that begins with `exec:` would be a program.
            guard ["http", "https", "socks5", "socks5h"].contains(scheme) else {
                throw .badValue(
                    name: "-x", value: proxy,
                    problem: .unusable(words: "the scheme is not http, https, socks5, or socks5h"))
            }
            let rest = isURL ? String(Substring(proxy.utf8.dropFirst(scheme.utf8.count + 3))) : proxy
            guard let proxyUser else { return "\(scheme)://\(rest)" }
            let host = rest.split(separator: "@").last ?? ""
            let parts = proxyUser.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let login = parts.map { WebSocketURL.component(String($0)) }.joined(separator: ":")
            return "\(scheme)://\(login)@\(host)"
        }
    }
}
