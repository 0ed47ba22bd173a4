import CommandLine
import Conversation
import Formats
import UserInterface
import WSCore

/// Finds a line that an application protocol rejects, before there is a connection. Returns `nil` if there is none.
package typealias LineCheck = (_ lines: [[UInt8]]) -> (index: Int, problem: ProtocolInputError)?

/// The application protocol of a run, with its parameters.
package struct ProtocolSelection: Sendable {
    /// The protocol.
    package let descriptor: ApplicationProtocol
    /// Whether the protocol is not defined by a file.
    package let isBuiltIn: Bool
    /// The parameters of the first connection, which have been checked.
    private(set) var parameters: ProtocolParameters
    /// The parameters that differ between connections.
    private let templates: [String: Template]
    /// Determines random values of parameters, so each connection has the values that were checked.
    private let seed = UInt64.random(in: .min ... .max)

    /// Selects a protocol.
    /// - Parameters:
    ///   - parameters: The parameters of the first connection.
    ///   - templates: The parameters that differ between connections.
    ///   - isBuiltIn: Whether the protocol is not defined by a file.
    /// - Throws: ``ProtocolParameterError``.
    init(
        _ descriptor: ApplicationProtocol, _ parameters: ProtocolParameters = ProtocolParameters(),
        templates: [String: Template] = [:], isBuiltIn: Bool = true
    ) throws(ProtocolParameterError) {
        _ = try descriptor.session(parameters)
        self.isBuiltIn = isBuiltIn
        self.descriptor = descriptor
        self.parameters = parameters
        self.templates = templates
    }

    /// Whether all connections have the same parameters.
    package var isConstant: Bool { templates.isEmpty }

    /// Replaces the outputs of programs among the parameters by their latest ones.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package mutating func renew(_ arguments: ProtocolArguments, secrets: Secrets) throws(Failure) {
        var renewed = parameters
        for parameter in arguments.parameters {
            guard let command = SecretCommand(parameter) else { continue }
            let value = try secrets.value(of: command.argument, for: command.option)
            Self.record(value, of: command.option, in: secrets)
            renewed.values[parameter.name] = value
        }
        do throws(ProtocolParameterError) {
            _ = try descriptor.session(renewed)
        } catch {
            throw .badArgument(what: "--param", why: "\(error)")
        }
        parameters = renewed
    }

    /// Records the strings in a parameter, if it is JSON.
    private static func record(_ value: String, of option: String, in secrets: Secrets) {
        guard let strings = try? JSONReader.strings(in: value) else { return }
        for string in strings { secrets.record.add(string, of: option) }
    }

    /// Checks the parameters of a connection.
    /// - Parameters:
    ///   - connection: The number of the connection, from 1.
    ///   - data: The row of the connection.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package func check(connection: UInt64, _ data: ChosenRow) throws(Failure) {
        let parameters = try parameters(of: connection, data)
        do throws(ProtocolParameterError) {
            _ = try descriptor.session(parameters)
        } catch {
            throw .badArgument(what: "--param", why: error.suggestion(varying: Set(templates.keys)))
        }
    }

    private func parameters(of connection: UInt64, _ data: ChosenRow) throws(Failure) -> ProtocolParameters {
        var parameters = parameters
        var values = RequestValues(connection: connection, data, seed: seed &+ connection)
        // In a fixed order, which determines the random values.
        for (name, template) in templates.sorted(by: { $0.key < $1.key }) {
            parameters.values[name] = try values.text(
                of: template, for: "--param \(escapingControls(name))")
        }
        return parameters
    }

    /// Creates a session.
    /// - Parameters:
    ///   - connection: The number of the session's connection, from 1.
    ///   - data: The row of the connection, or `nil` to use the parameters of the first connection.
    ///   - clockOffset: The offset from the clock of the session to the time since 1970, in nanoseconds.
    ///   - awaitsStreams: Whether a stream is a request whose reply is its end.
    package func makeSession(
        connection: UInt64, _ data: ChosenRow? = nil, clockOffset: UInt64, awaitsStreams: Bool = true
    ) -> any ProtocolSession {
        // `check` has evaluated them with the same values.
        var parameters = data.flatMap { try? self.parameters(of: connection, $0) } ?? parameters
        parameters.awaitsStreams = awaitsStreams
        parameters.connection = connection
        parameters.clockOffset = clockOffset
        parameters.seed = .random(in: .min ... .max)
        do throws(ProtocolParameterError) {
            return try descriptor.session(parameters)
        } catch {
            // The initializer or `check` has checked the parameters.
            preconditionFailure("a session cannot be created: \(error)")
        }
    }
}

extension ProtocolSelection {
    /// Checks lines with replies.
    package var lineCheck: LineCheck {
        { lines in firstInvalid(of: lines, wantsReplies: true) }
    }

    /// Finds a line that the protocol rejects. Lines of a protocol in a file are not checked, because they may depend on the
    /// login. Neither are lines that name a file, and those after them.
    /// - Parameter wantsReplies: Whether each line needs a reply.
    /// - Returns: The index of the line, and the problem; `nil` if there is none.
    package func firstInvalid(
        of lines: some Sequence<[UInt8]>, wantsReplies: Bool
    ) -> (index: Int, problem: ProtocolInputError)? {
        guard isBuiltIn else { return nil }
        let lines = lines.prefix { !(descriptor.readsFiles && $0.first == UInt8(ascii: "@")) }
        return makeSession(connection: 1, clockOffset: 0).firstInvalid(of: lines, wantsReplies: wantsReplies)
    }
}

// MARK: Arguments

extension ProtocolSelection {
    /// Selects the protocol that the arguments name. Returns `nil` if they name none, or if it is to be detected.
    /// - Parameters:
    ///   - url: The URL as typed, which may ask for a version.
    ///   - templates: The row of the first connection for placeholders in the parameters, or `nil` if these contain none.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    package static func make(
        _ arguments: ProtocolArguments, for url: String = "", templates: ChosenRow? = nil, secrets: Secrets
    ) throws(Failure) -> ProtocolSelection? {
        let descriptor: ApplicationProtocol
        var isBuiltIn = true
        switch arguments.choice {
        case nil: return nil
        case .automatic:
            guard arguments.parameters.isEmpty else {
                throw .badArgument(
                    what: "--param with --protocol auto", why: "parameters belong to a protocol; name the protocol")
            }
            return nil
        case .named(let name):
            // The parser has checked the name.
            guard let found = ApplicationProtocol(named: name) else { return nil }
            descriptor = found.version(askedBy: url)
        case .file(let path):
            descriptor = try definition(in: path, secrets: secrets)
            isBuiltIn = false
        }
        var values: [String: String] = [:]
        var varying: [String: Template] = [:]
        for parameter in arguments.parameters {
            let option = "--param \(escapingControls(parameter.name))"
            let known = descriptor.parameters.first { $0.name == parameter.name }
            let isSecret = known?.isSecret ?? true
            var value =
                isSecret
                ? try secrets.value(of: parameter.value, for: option)
                : try secrets.text(of: parameter.value, for: option)
            let isReference = Secrets.isReference(parameter.value)
            if known?.isLogin ?? true || isReference { secrets.record.addMessage(of: option) }
            if let templates, !isReference {
                let template = try Template.make(
                    value, of: option, variables: templates.columns, role: .request, secrets: secrets)
                if template.insertsSecret { secrets.record.addMessage(of: option) }
                // The last value of a parameter counts.
                varying[parameter.name] = template.isConstant ? nil : template
                var firstValues = RequestValues(connection: 1, templates)
                value = try firstValues.text(of: template, for: option)
            }
            values[parameter.name] = value
            // An unknown parameter, and invalid JSON, are reported below.
            if isSecret || SecretCommand(parameter) != nil { record(value, of: option, in: secrets) }
        }
        do throws(ProtocolParameterError) {
            return try ProtocolSelection(
                descriptor, ProtocolParameters(values), templates: varying, isBuiltIn: isBuiltIn)
        } catch {
            let failure = Failure.badArgument(what: "--param", why: error.suggestion(varying: Set(varying.keys)))
            guard error.isAboutValue, !varying.isEmpty else { throw failure }
            throw templates?.naming(failure) ?? failure
        }
    }

    /// The protocol in a file.
    private static func definition(in path: String, secrets: Secrets) throws(Failure) -> ApplicationProtocol {
        let file = try HeaderFiles.text(of: path, for: "--protocol", maximumBytes: 1 << 20)
        do throws(DeclarativeProtocolError) {
            return try DeclarativeProtocol(
                file, sink: secrets.record.sink,
                environment: { name in
                    let value = secrets.inserted(name)
                    if value != nil { secrets.record.addMessage(of: "--protocol \(escapingControls(path))") }
                    return value
                },
                parseDuration: { try? DurationValue.parse($0) }
            ).applicationProtocol
        } catch {
            throw .badArgument(
                what: "--protocol \(escapingControls(path)):\(error.line):\(error.column)", why: error.reason)
        }
    }
}

extension SecretCommand {
    /// Returns nil if the value of the parameter is no output of a program.
    package init?(_ parameter: ProtocolParameterValue) {
        self.init(parameter.value, of: "--param \(escapingControls(parameter.name))")
    }
}

extension ProtocolParameterError {
    /// Whether another value would be valid.
    fileprivate var isAboutValue: Bool {
        switch self {
        case .notJSON, .invalid: true
        case .unknown, .missing: false
        }
    }

    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    /// - Parameter varying: The names of the parameters with placeholders.
    fileprivate func suggestion(varying: Set<String>) -> String {
        switch self {
        case .unknown(let name, let known):
            guard let nearest = EditDistance.nearest(to: name, among: known) else { return "\(self)" }
            return "unknown parameter '\(escapingControls(name))'; did you mean '\(nearest)'?"
        case .notJSON(let name, _) where varying.contains(name): return "\(self); insert strings with {{json:NAME}}"
        // A shell removes the quotes of JSON.
        case .notJSON(let name, _): return "\(self); in a shell, quote it: --param '\(name)={...}'"
        case .invalid, .missing: return "\(self)"
        }
    }
}

extension ProtocolSelection {
    /// Selects a protocol that `--protocol auto` has detected, without parameters, or returns `nil` if it needs some.
    package init?(detected descriptor: ApplicationProtocol) {
        do throws(ProtocolParameterError) {
            try self.init(descriptor)
        } catch {
            return nil
        }
    }
}
