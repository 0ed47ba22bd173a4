import CommandLine
import Conversation
import Formats
import WSCore

/// The application protocol of a run, with its parameters.
struct ProtocolSelection: Sendable {
    /// The protocol.
    let descriptor: ApplicationProtocol
    /// The parameters, which have been checked.
    let parameters: ProtocolParameters

    /// Selects a protocol.
    /// - Throws: ``ProtocolParameterError``.
    init(
        _ descriptor: ApplicationProtocol, _ parameters: ProtocolParameters = ProtocolParameters()
    ) throws(ProtocolParameterError) {
        _ = try descriptor.session(parameters)
        self.descriptor = descriptor
        self.parameters = parameters
    }

    /// Creates a session.
    /// - Parameters:
    ///   - connection: The number of the session's connection, from 1.
    ///   - clockOffset: The offset from the clock of the session to the time since 1970, in nanoseconds.
    ///   - awaitsStreams: Whether a stream is a request whose reply is its end.
    func makeSession(connection: UInt64, clockOffset: UInt64, awaitsStreams: Bool = true) -> any ProtocolSession {
        var parameters = parameters
        parameters.awaitsStreams = awaitsStreams
        parameters.connection = connection
        parameters.clockOffset = clockOffset
        parameters.seed = .random(in: .min ... .max)
        do throws(ProtocolParameterError) {
            return try descriptor.session(parameters)
        } catch {
            // The initializer has checked the parameters.
            preconditionFailure("a session cannot be created: \(error)")
        }
    }
}

// MARK: Arguments

extension ProtocolSelection {
    /// Selects the protocol that the arguments name. Returns `nil` if they name none, or if it is to be detected.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    static func make(_ arguments: ProtocolArguments, secrets: Secrets) throws(Failure) -> ProtocolSelection? {
        let descriptor: ApplicationProtocol
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
            descriptor = found
        case .file(let path): descriptor = try definition(in: path, secrets: secrets)
        }
        var values: [String: String] = [:]
        for parameter in arguments.parameters {
            values[parameter.name] = try value(of: parameter, in: descriptor, secrets: secrets)
        }
        do throws(ProtocolParameterError) {
            return try ProtocolSelection(descriptor, ProtocolParameters(values))
        } catch {
            throw .badArgument(what: "--param", why: error.suggestion)
        }
    }

    /// The protocol in a file.
    private static func definition(in path: String, secrets: Secrets) throws(Failure) -> ApplicationProtocol {
        let file = try HeaderFiles.contents(of: path, for: "--protocol", maximumBytes: 1 << 20)
        do throws(DeclarativeProtocolError) {
            return try DeclarativeProtocol(
                file, environment: secrets.environment,
                parseDuration: { try? DurationValue.parse($0) }
            ).applicationProtocol
        } catch {
            throw .badArgument(
                what: "--protocol \(escapingControls(path)):\(error.line):\(error.column)", why: error.reason)
        }
    }

    /// The value of a parameter. An unknown parameter is reported later.
    private static func value(
        of parameter: ProtocolParameterValue, in descriptor: ApplicationProtocol, secrets: Secrets
    ) throws(Failure) -> String {
        let option = "--param \(escapingControls(parameter.name))"
        let isSecret = descriptor.parameters.first { $0.name == parameter.name }?.isSecret ?? true
        guard isSecret else { return try secrets.text(of: parameter.value, for: option) }
        let value = try secrets.value(of: parameter.value, for: option)
        // Invalid JSON is reported later.
        if let strings = try? JSONReader.strings(in: value) {
            for string in strings { secrets.record.add(string, of: option) }
        }
        return value
    }
}

extension ProtocolParameterError {
    /// The mistake and its remedy. For an unknown name, the remedy is the most similar known name, if there is one.
    fileprivate var suggestion: String {
        switch self {
        case .unknown(let name, let known):
            guard let nearest = EditDistance.nearest(to: name, among: known) else { return "\(self)" }
            return "unknown parameter '\(escapingControls(name))'; did you mean '\(nearest)'?"
        // A shell removes the quotes of JSON.
        case .notJSON(let name, _): return "\(self); in a shell, quote it: --param '\(name)={...}'"
        case .invalid, .missing: return "\(self)"
        }
    }
}

extension JSONReader {
    /// The string values in a JSON text, without the names of members.
    fileprivate static func strings(in text: String) throws(JSONError) -> [String] {
        let bytes = Array(text.utf8)
        var reader = JSONReader()
        var strings: [String] = []
        while let token = try reader.next(in: bytes.span.bytes) {
            guard token.kind == .string else { continue }
            strings.append(JSONString.decoded(bytes.span.bytes.extracting(token.range)))
        }
        return strings
    }
}

// MARK: Detection

extension ProtocolSelection {
    /// The protocol of a connection for `--protocol auto`, or `nil` if the opening does not identify it.
    /// - Parameters:
    ///   - target: The path and query of the URL.
    ///   - subprotocol: The subprotocol that the server selected.
    static func detected(target: String, subprotocol: String?) -> ProtocolSelection? {
        ApplicationProtocol.detected(target: target, subprotocol: subprotocol).flatMap(withoutParameters)
    }

    /// The protocol of a connection for `--protocol auto`, or `nil` if its first received message does not give it
    /// away.
    static func detected(firstMessage payload: RawSpan, as kind: MessageKind) -> ProtocolSelection? {
        ApplicationProtocol.detected(firstMessage: payload, as: kind).flatMap(withoutParameters)
    }

    private static func withoutParameters(_ descriptor: ApplicationProtocol) -> ProtocolSelection? {
        try? ProtocolSelection(descriptor)
    }
}
