import WSCore

/// Reads the values of options that give access to something, which need not stand on the command line for all to see.
struct Secrets {
    /// Looks an environment variable up.
    let environment: (String) -> String?
    /// Asks on the terminal, and returns what was typed, unseen; nil: there is no terminal, or nothing was typed.
    var ask: (String) throws(Failure) -> String? = { _ in nil }
    /// What has been read so far.
    let record = SecretRecord()

    /// What an argument stands for: `@FILE` for what the file holds, `env:NAME` for the variable's value, anything else
    /// for itself. A newline at the end of the file is not part of it.
    ///
    /// Throws ``Failure/badArgument(what:why:)``, which does not show the secret.
    func value(of argument: String, for option: String) throws(Failure) -> String {
        let value = try read(argument, for: option)
        record.add(value, of: option)
        return value
    }

    private func read(_ argument: String, for option: String) throws(Failure) -> String {
        if argument.hasPrefix("env:") {
            let name = String(argument.dropFirst("env:".count))
            guard let value = environment(name) else {
                throw .badArgument(what: option, why: "the environment variable '\(escapingControls(name))' is not set")
            }
            return value
        }
        guard argument.hasPrefix("@") else { return argument }
        let path = String(argument.dropFirst())
        var contents = try HeaderFiles.contents(of: path, for: option)
        if contents.last == UInt8(ascii: "\n") { contents.removeLast() }
        if contents.last == UInt8(ascii: "\r") { contents.removeLast() }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw .badArgument(what: "\(option) \(escapingControls(path))", why: "it is not UTF-8 text")
        }
        return text
    }

    /// What is typed in answer to a question.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` where there is nobody to ask, or no answer.
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
