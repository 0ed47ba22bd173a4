import WSCore

@testable import Conversation

extension Template {
    /// Parses a template that uses no environment variables.
    init(_ text: String, variables: VariableNames = VariableNames()) throws(TemplateError) {
        try self.init(text, variables: variables, environment: { _ in nil })
    }

    /// The text for a message.
    func text(
        sequence: UInt64 = 1, connection: UInt64 = 1, time: UInt64 = 0, seed: UInt64 = 0
    ) throws(TemplateValueError) -> String {
        let stamp = Stamp(sequence: sequence, connection: connection, time: time, seed: seed)
        return try text(stamp, TemplateVariables())
    }

    /// The text for a message with variables.
    func text(
        _ stamp: Stamp = .first, _ variables: borrowing TemplateVariables
    ) throws(TemplateValueError) -> String {
        var buffer = ByteBuffer()
        try write(to: &buffer, stamp: stamp, variables: variables)
        return buffer.withReadableBytes { span in
            span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension Template.Stamp {
    /// The stamp of the first message of the first connection.
    static let first = Template.Stamp(sequence: 1, connection: 1, time: 0, seed: 0)
}

extension VariableNames {
    /// The names of a list, which must be valid.
    init(_ names: [String]) throws(VariableNameError) {
        self.init()
        for name in names { try add(name) }
    }
}

extension TemplateVariables {
    /// Sets a variable to a text.
    mutating func set(_ slot: Int, to text: String) {
        Array(text.utf8).withUnsafeBytes { set(slot, to: $0.bytes) }
    }

    /// Sets the last received message.
    mutating func setLastMessage(_ text: String) {
        Array(text.utf8).withUnsafeBytes { setLastMessage($0.bytes) }
    }
}

/// The readable bytes of a buffer, as text.
func text(of buffer: borrowing ByteBuffer) -> String {
    buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
