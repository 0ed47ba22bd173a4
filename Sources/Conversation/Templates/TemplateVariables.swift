import Formats
import WSCore

/// The values of a connection that templates insert: its variables, and the last message it received.
package struct TemplateVariables: ~Copyable {
    /// The value of a variable.
    package struct Value: Sendable {
        fileprivate enum Kind {
            /// No value yet.
            case none
            /// Text.
            case text
            /// JSON that is not a string.
            case json
        }

        fileprivate var kind = Kind.none
        fileprivate var bytes: [UInt8] = []
    }

    private var names: [String]
    private var slots: [Value]
    /// The request of the client whose messages these are, or `nil` if this is no server.
    package var request: RequestHead?
    private var lastMessage = ByteBuffer()
    private var hasLastMessage = false

    /// The storage to keep for further messages, in bytes. Larger storage is released.
    private static let keptBytes = 64 << 10

    /// Creates variables without values.
    /// - Parameter names: The names that the templates were parsed with, or that followed them.
    package init(_ names: VariableNames = VariableNames()) {
        self.names = names.names
        slots = Array(repeating: Value(), count: names.names.count)
    }

    /// Sets a variable to a text.
    /// - Parameters:
    ///   - slot: The slot of the variable; see ``VariableNames/slot(of:)``.
    ///   - text: Valid UTF-8.
    package mutating func set(_ slot: Int, to text: RawSpan) {
        set(slot, .text, text)
    }

    /// Sets a variable to a value of a JSON text. Templates insert a string without its quotes, unless they insert it
    /// with `json:`.
    /// - Parameters:
    ///   - slot: The slot of the variable; see ``VariableNames/slot(of:)``.
    ///   - value: The value; see ``JSONPath/value(in:)``.
    ///   - text: The text that contains the value, valid UTF-8.
    package mutating func set(_ slot: Int, to value: JSONToken, of text: RawSpan) {
        let literal = text.extracting(value.range)
        if value.kind == .number || value.kind == .literal { return set(slot, .json, literal) }
        if value.kind == .string, !literal.withUnsafeBytes({ $0.contains(UInt8(ascii: "\\")) }) {
            return set(slot, .text, literal.extracting(1..<literal.byteCount - 1))
        }
        var decoded = ByteBuffer()
        JSONPath.append(value, of: text, to: &decoded)
        decoded.withReadableBytes { set(slot, value.kind == .string ? .text : .json, $0) }
    }

    /// The value of the variable in a slot. Templates that insert it fail if it has not been set.
    package func value(_ slot: Int) -> Value { slots[slot] }

    /// Sets a variable to the value of another one.
    package mutating func set(_ slot: Int, to value: Value) { slots[slot] = value }

    /// Adds a variable without a value. Its slot follows the others.
    package mutating func add(_ name: String) {
        names.append(name)
        slots.append(Value())
    }

    /// Sets the variables of a data file, which have the first slots.
    package mutating func set(_ row: DataRow) {
        for column in 0..<min(row.count, slots.count) {
            row.withValue(column) { text, isJSON in set(column, isJSON ? .json : .text, text) }
        }
    }

    /// Keeps a received message for `{{last:…}}`, in place of the one before it.
    ///
    /// Call it only if a template needs the message; see ``Template/usesLastMessage``. Binary messages count only if
    /// they are valid UTF-8.
    package mutating func setLastMessage(_ message: RawSpan) {
        hasLastMessage = true
        lastMessage.removeAll()
        lastMessage.releaseStorage(above: max(Self.keptBytes, message.byteCount))
        if UTF8Validator.isValid(message) { lastMessage.append(message) }
    }

    private mutating func set(_ slot: Int, _ kind: Value.Kind, _ bytes: RawSpan) {
        slots[slot].kind = kind
        slots[slot].bytes.removeAll(keepingCapacity: true)
        bytes.withUnsafeBytes { slots[slot].bytes.append(contentsOf: $0) }
    }

    /// Appends a variable.
    func append(_ slot: Int, as form: Template.Form, to buffer: inout ByteBuffer) throws(TemplateValueError) {
        let value = slots[slot]
        switch (value.kind, form) {
        case (.none, _): throw .unset(names[slot])
        case (.text, .json): JSONString.append(value.bytes.span.bytes, to: &buffer)
        case (.text, .text), (.json, _): buffer.append(value.bytes.span.bytes)
        }
    }

    /// Appends a value in the last message.
    func appendLast(
        _ path: JSONPath, as form: Template.Form, to buffer: inout ByteBuffer
    ) throws(TemplateValueError) {
        guard hasLastMessage else { throw .noLastMessage }
        try lastMessage.withReadableBytes { (message) throws(TemplateValueError) in
            guard let value = path.value(in: message) else {
                // The whole message need not be JSON.
                if path.source == ".", form == .text, !message.isEmpty { return buffer.append(message) }
                throw TemplateValueError(of: path, in: message)
            }
            switch form {
            case .text: JSONPath.append(value, of: message, to: &buffer)
            case .json: JSONPath.appendJSON(value, of: message, to: &buffer)
            }
        }
    }
}

/// Why a ``Template`` cannot be written.
package enum TemplateValueError: Error, Equatable {
    /// The variable with this name has no value yet.
    case unset(String)
    /// No message has been received, so there is no last one.
    case noLastMessage
    /// The received message is not JSON.
    case notJSON
    /// The received message has no value at this path.
    case missing(path: String)
    /// The records of a message have more answers than are sent.
    case tooManyAnswers(limitBytes: Int)
    /// The program with this command has not run.
    case noOutput(String)
    /// The client's request does not have a value to which filters are applied.
    case notInRequest
    /// A filter cannot be applied.
    case filter(String, FilterProblem)

    /// Why a filter cannot be applied. The value is left out, because it may be a secret.
    package enum FilterProblem: Error, Equatable {
        /// The value is not UTF-8.
        case notText
        /// The value is not JSON.
        case notJSON
        /// The value has nothing at this path.
        case missing(String)
        /// The value is not in this encoding.
        case notEncoded(String)
        /// The result is too large.
        case tooLarge
        /// OpenSSL does not have the algorithm.
        case noAlgorithm
    }

    /// Explains why a message has no value at a path.
    init(of path: JSONPath, in message: RawSpan) {
        let isJSON = UTF8Validator.isValid(message) && JSONReader.problem(in: message) == nil
        self = isJSON ? .missing(path: path.source) : .notJSON
    }
}

extension TemplateValueError: CustomStringConvertible {
    /// The problem, to follow a colon.
    package var description: String {
        switch self {
        case .unset(let name): "the variable \(quoted(name)) has no value yet"
        case .noLastMessage: "{{last:…}} needs a received message, but none has arrived yet"
        case .notJSON: "the received message is not JSON"
        case .missing(let path): "the received message has no value at \(quoted(path))"
        case .tooManyAnswers(let limitBytes):
            "further records of the message are not answered: there are more than \(limitBytes >> 20) MiB of answers"
        case .noOutput: "the program of {{exec:…}} has not run"
        case .notInRequest: "the client's request lacks a value with filters; add '| default:TEXT'"
        case .filter(let name, let problem): "the filter '\(name)' failed: \(problem)"
        }
    }
}

extension TemplateValueError.FilterProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notText: "the value is not UTF-8 text; add '| hex' or '| base64'"
        case .notJSON: "the value is not JSON"
        case .missing(let path): "the value has nothing at \(quoted(path))"
        case .notEncoded(let name): "the value is not \(name)"
        case .tooLarge: "the result has more than \(TemplateFilter.maximumBytes >> 20) MiB"
        case .noAlgorithm: "OpenSSL is configured without this algorithm"
        }
    }
}
