import CommandLine
import Conversation
import Formats

/// The value of `--protocol`.
package enum ProtocolChoice: Equatable, Sendable {
    /// A protocol of ``ApplicationProtocol/all``, by name.
    case named(String)
    /// A protocol that a file defines.
    case file(String)
    /// Detect the protocol from the URL, the subprotocol, or the first message.
    case automatic

    /// The word for ``automatic``.
    package static let automaticName = "auto"

    /// The names with their descriptions.
    package static let choices: [ValueChoice] =
        ApplicationProtocol.all.map { ValueChoice(name: $0.name, summary: $0.summary) }
        + [
            ValueChoice(
                name: automaticName, summary: "detect the protocol from the URL, the subprotocol, or the first message")
        ]

    /// Parses a name, `@FILE`, or `auto`.
    package static func parse(_ text: String) throws(ValueProblem) -> ProtocolChoice {
        if text.hasPrefix("@") {
            guard text.utf8.count > 1 else { throw .empty }
            return .file(String(text.dropFirst()))
        }
        if text == automaticName { return .automatic }
        guard ApplicationProtocol(named: text) != nil else { throw .notAProtocol(text) }
        return .named(text)
    }

    /// The name that was probably intended. Subprotocols stand for their protocol.
    package static func nearest(to text: String) -> String? {
        EditDistance.nearest(to: text, among: choices.map(\.name))
            ?? ApplicationProtocol.all.first { descriptor in
                descriptor.endpoint.subprotocols.contains { $0.lowercased() == text.lowercased() }
            }?.name
    }
}

extension ValueProblem {
    /// Not the name of a protocol. It may be the name of a subprotocol, as websocat expects it.
    package static func notAProtocol(_ text: String) -> ValueProblem {
        guard !text.isEmpty else { return .empty }
        let remedy =
            ProtocolChoice.nearest(to: text).map { "did you mean '\($0)'? To" } ?? "'wsx help protocol' lists them; to"
        return unusable(words: "unknown protocol; \(remedy) offer the subprotocol, use -s \(text)")
    }
}

/// The value of `--param`.
package struct ProtocolParameterValue: Equatable, Sendable {
    /// The name of the parameter.
    package let name: String
    /// The value, or a reference; see ``Secrets``.
    package let value: String

    /// Whether the value is a secret in some protocol. Those that a file defines have parameters of any name.
    package var mayBeSecret: Bool {
        let known = ApplicationProtocol.all.flatMap(\.parameters).filter { $0.name == name }
        return known.isEmpty || known.contains(where: \.isSecret)
    }

    /// Parses `NAME=VALUE`. The problem does not show the value, which may be a secret.
    package static func parse(_ text: String) throws(ValueProblem) -> ProtocolParameterValue {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw .unusable(
                words: "expected NAME=VALUE, such as token=abc; VALUE can be @FILE or env:NAME", hidesValue: true)
        }
        return ProtocolParameterValue(
            name: String(text[..<sign]), value: String(text[text.index(after: sign)...]))
    }
}

/// The value of `--set`.
package struct SetVariableValue: Equatable, Sendable {
    /// The name of a variable.
    package let name: String
    /// The location of its value.
    package let path: JSONPath

    package static func parse(_ text: String) throws(ValueProblem) -> SetVariableValue {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex,
            let path = try? JSONPath(String(text[text.utf8.index(after: sign)...]))
        else {
            throw .unusable(words: "expected NAME=PATH, such as id=.user.id; --param NAME=VALUE sets a text")
        }
        var names = VariableNames()
        let name = String(text[..<sign])
        do throws(VariableNameError) {
            try names.add(own: name)
        } catch {
            throw .unusable(words: "\(error)")
        }
        return SetVariableValue(name: name, path: path)
    }
}
