import WSCore

/// Reads the values of options for secrets, which should not be visible on the command line.
struct Secrets {
    /// Looks up an environment variable.
    let environment: (String) -> String?
    /// Asks on the terminal and returns the hidden input; nil: there is no terminal or no input.
    var ask: (String) throws(Failure) -> String? = { _ in nil }
    /// The maximum size of a file with a value.
    var maximumFileBytes = HeaderFiles.defaultMaximumBytes
    /// The secrets read so far.
    let record = SecretRecord()

    /// The value of an argument: for `@FILE`, the file's contents without a final newline; for `env:NAME`, the value of
    /// the environment variable; otherwise, the argument itself.
    ///
    /// Throws ``Failure/badArgument(what:why:)``, which does not contain the secret.
    func value(of argument: String, for option: String) throws(Failure) -> String {
        let value = try text(of: argument, for: option)
        record.add(value, of: option)
        return value
    }

    /// The value of an argument as ``value(of:for:)`` reads it, if it is not a secret.
    ///
    /// Throws ``Failure/badArgument(what:why:)``.
    func text(of argument: String, for option: String) throws(Failure) -> String {
        if argument.hasPrefix("env:") {
            let name = String(argument.dropFirst("env:".count))
            guard let value = environment(name) else {
                throw .badArgument(
                    what: option, why: "the environment variable '\(escapingControls(name))' is not set; export it")
            }
            return value
        }
        guard argument.hasPrefix("@") else { return argument }
        let path = String(argument.dropFirst())
        var contents = try HeaderFiles.contents(of: path, for: option, mark: "@", maximumBytes: maximumFileBytes)
        if contents.last == UInt8(ascii: "\n") { contents.removeLast() }
        if contents.last == UInt8(ascii: "\r") { contents.removeLast() }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw .badArgument(
                what: "\(option) @\(escapingControls(path))", why: "it is not UTF-8 text; convert the file to UTF-8")
        }
        return text
    }

    /// Looks up environment variables for a message, which then contains a secret.
    /// - Parameter option: The source of the message.
    func environment(forMessageOf option: String) -> (String) -> String? {
        { name in
            guard let value = environment(name) else { return nil }
            record.addMessage(of: option)
            return value
        }
    }

    /// Returns the answer to a question on the terminal.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` if there is no terminal or no answer.
    func asked(_ question: String, for option: String, noun: String, remedy: String) throws(Failure) -> String {
        guard let answer = try ask(question) else {
            throw .badArgument(
                what: option,
                why: "the \(noun) is missing; write \(remedy), @FILE, or env:NAME")
        }
        record.add(answer, of: option)
        return answer
    }
}

/// Collects the secrets that a run receives, to keep them out of files.
final class SecretRecord {
    /// The secrets, in the form that a message would contain.
    private(set) var texts: Set<String> = []
    /// The options whose messages or parameters contain secrets and are sent on the connection, in order.
    private(set) var messageSources: [String] = []

    /// Adds an option whose messages contain a secret.
    func addMessage(of option: String) {
        if !messageSources.contains(option) { messageSources.append(option) }
    }

    /// Forgets the sources of messages, for another server that gets none of them.
    func removeMessageSources() {
        messageSources = []
    }

    /// Adds the value of an option and, for values such as `user:password`, the secret part.
    func add(_ value: String, of option: String) {
        texts.insert(value)
        switch option {
        case "--auth": add(value, after: ":")
        case "--cookie": add(value, after: "=")
        case "--proxy":
            let authority = value.split(separator: "@", omittingEmptySubsequences: false)
            if authority.count > 1 { add(String(authority[0].drop { $0 != "/" }), after: ":") }
        default: break
        }
    }

    /// Adds the password of a URL.
    func add(_ credentials: Credentials?) {
        guard let credentials else { return }
        texts.formUnion([credentials.password, "\(credentials.user):\(credentials.password)"])
    }

    /// Adds the secret fields of a request: their values, the part after an authentication scheme, and cookies.
    func add(_ request: ClientRequest) {
        for field in request.fields where field.isSecret {
            texts.insert(field.value)
            if field.isNamed("Cookie") {
                for pair in field.value.split(separator: ";") { add(String(pair), after: "=") }
            } else {
                add(field.value, after: " ")
            }
        }
    }

    private func add(_ value: String, after separator: Character) {
        guard let index = value.firstIndex(of: separator) else { return }
        texts.insert(String(value[value.index(after: index)...]))
    }
}
