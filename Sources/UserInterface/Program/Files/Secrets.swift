import Conversation
import WSCore

/// Reads the values of options for secrets, which should not be visible on the command line.
package struct Secrets {
    /// Looks up an environment variable.
    package let environment: (String) -> String?
    /// Asks on the terminal and returns the hidden input; nil: there is no terminal or no input.
    let ask: (String) throws(Failure) -> String?
    /// Runs a program, and returns its output.
    var run: (SecretCommand) throws(Failure) -> String
    /// The maximum size of a file with a value.
    var maximumFileBytes: Int
    /// The secrets read so far.
    package let record = SecretRecord()
    /// The outputs of programs.
    package let outputs = SecretOutputs()

    package init(
        environment: @escaping (String) -> String?, ask: @escaping (String) throws(Failure) -> String? = { _ in nil },
        run: @escaping (SecretCommand) throws(Failure) -> String = { (command) throws(Failure) in
            throw command.failure("programs cannot be run here")
        },
        maximumFileBytes: Int = HeaderFiles.defaultMaximumBytes
    ) {
        self.environment = environment
        self.ask = ask
        self.run = run
        self.maximumFileBytes = maximumFileBytes
    }

    /// The value of an argument: for `@FILE`, the file's contents without a final newline; for `env:NAME`, the value of
    /// the environment variable; for `exec:COMMAND`, the program's latest output; otherwise, the argument itself.
    ///
    /// Throws ``Failure/badArgument(what:why:)``, which does not contain the secret.
    package func value(of argument: String, for option: String) throws(Failure) -> String {
        let value = try text(of: argument, for: option)
        record.add(value, of: option)
        return value
    }

    /// The value of an argument as ``value(of:for:)`` reads it, if it is not a secret.
    ///
    /// Throws ``Failure/badArgument(what:why:)``.
    package func text(of argument: String, for option: String) throws(Failure) -> String {
        if argument.hasPrefix("env:") {
            let name = String(argument.dropFirst("env:".count))
            guard let value = environment(name) else {
                throw .badArgument(
                    what: option, why: "the environment variable '\(escapingControls(name))' is not set; export it")
            }
            return value
        }
        if let command = SecretCommand(argument, of: option) { return try output(of: command) }
        guard argument.hasPrefix("@") else { return argument }
        let path = String(argument.dropFirst())
        var contents = try HeaderFiles.text(of: path, for: option, mark: "@", maximumBytes: maximumFileBytes)
        if contents.last == UInt8(ascii: "\n") { contents.removeLast() }
        if contents.last == UInt8(ascii: "\r") { contents.removeLast() }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw .badArgument(
                what: "\(option) @\(escapingControls(path))", why: "it is not UTF-8 text; convert the file to UTF-8")
        }
        return text
    }

    /// The latest output of a program, which runs if there is none.
    package func output(of command: SecretCommand) throws(Failure) -> String {
        if let output = outputs[command] { return output }
        let output = try run(command)
        store(output, of: command)
        return output
    }

    /// The variables of a text, with what it may use besides them.
    /// - Parameter isTyped: Whether the text is on the command line or in a configuration file, and may start programs.
    package func names(_ variables: VariableNames, isTyped: Bool) -> VariableNames {
        var names = variables
        names.programs = isTyped ? outputs.programs : nil
        names.sink = record.sink
        return names
    }

    /// Runs the programs of a template that have not run.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func runPrograms(of template: Template, for option: String) throws(Failure) {
        for command in template.commands {
            guard let command = SecretCommand(SecretReference.programPrefix + command, of: option) else { continue }
            _ = try text(of: command.argument, for: option)
            outputs.add(command)
        }
    }

    /// Records the latest output of a program.
    package func store(_ output: String, of command: SecretCommand) {
        if let secret = command.secret(in: output) { record.add(inserted: secret) }
        outputs[command] = output
    }

    /// Whether a value is in a file, an environment variable, or the output of a program.
    package static func isReference(_ argument: String) -> Bool { SecretReference.isReference(argument) }

    /// The value of an environment variable that a template inserts, which counts as a secret.
    package func inserted(_ name: String) -> String? {
        let value = environment(name)
        if let value { record.add(inserted: value) }
        return value
    }

    /// Returns the answer to a question on the terminal.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` if there is no terminal or no answer.
    package func asked(_ question: String, for option: String, noun: String, remedy: String) throws(Failure) -> String {
        guard let answer = try ask(question) else {
            throw .badArgument(
                what: option,
                why: "the \(noun) is missing; write \(remedy), @FILE, or env:NAME")
        }
        record.add(inserted: answer)
        return answer
    }
}
