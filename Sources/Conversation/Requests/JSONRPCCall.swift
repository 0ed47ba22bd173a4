import Formats
import WSCore

/// Converts lines in a short notation to JSON-RPC 2.0 calls.
///
///     sum 1 2.50 'a b'             → {"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2.50,"a b"]}
///     open url=http://h/ new=true  → {"jsonrpc":"2.0","id":1,"method":"open","params":{"url":"http://h/","new":true}}
///     set {"a":[1]}                → {"jsonrpc":"2.0","id":1,"method":"set","params":{"a":[1]}}
///     session.status               → {"id":1,"method":"session.status","params":{}}               WebDriver BiDi
///
/// An argument that is valid JSON is used as JSON, and any other as a string. An argument in single quotes is always a
/// string.
package struct JSONRPCCall {
    /// The form of calls.
    package enum Form: Equatable, Sendable {
        /// With the member `jsonrpc`, which JSON-RPC 2.0 requires.
        case standard
        /// Without it: Chromium's DevTools reject it with an error that has no id.
        case devTools
        /// Like DevTools, with the member `params` in each call.
        case biDi
    }

    private let line: [UInt8]
    private var offset = 0

    /// Returns the call with this id. A line that begins with a brace or a bracket is already a call and is returned
    /// unchanged.
    /// - Parameters:
    ///   - line: UTF-8 text.
    ///   - id: The id of the call.
    ///   - form: The form of the call. Defaults to that of JSON-RPC 2.0.
    /// - Throws: ``JSONRPCCallError``.
    package static func compose(_ line: RawSpan, id: Int, form: Form = .standard) throws(JSONRPCCallError) -> [UInt8] {
        var call = JSONRPCCall(line: line.withUnsafeBytes { Array($0) })
        return try call.composed(id: id, form: form)
    }

    /// Returns the arguments of a line without a method, each as JSON.
    /// - Parameter line: UTF-8 text.
    /// - Throws: ``JSONRPCCallError``.
    static func arguments(_ line: RawSpan) throws(JSONRPCCallError) -> [[UInt8]] {
        var call = JSONRPCCall(line: line.withUnsafeBytes { Array($0) })
        var arguments: [[UInt8]] = []
        while let argument = try call.nextArgument() {
            var text = ByteBuffer()
            call.append(value: argument, to: &text)
            arguments.append(text.withReadableBytes { $0.withUnsafeBytes { Array($0) } })
        }
        return arguments
    }

    private init(line: [UInt8]) {
        self.line = line
    }

    private mutating func composed(id: Int, form: Form) throws(JSONRPCCallError) -> [UInt8] {
        skipBlanks()
        guard offset < line.count else { throw .noMethod }
        if line[offset] == UInt8(ascii: "{") || line[offset] == UInt8(ascii: "[") { return line }
        let method = offset..<(line[offset...].firstIndex(where: Self.isBlank) ?? line.count)
        offset = method.upperBound
        var arguments: [Range<Int>] = []
        while let argument = try nextArgument() { arguments.append(argument) }
        var call = ByteBuffer()
        call.append(form == .standard ? "{\"jsonrpc\":\"2.0\"," : "{")
        call.append("\"id\":\(id),\"method\":")
        append(text: method, to: &call)
        if arguments.isEmpty, form == .biDi {
            call.append(",\"params\":{}")
        } else {
            try append(arguments, to: &call)
        }
        call.append(byte: UInt8(ascii: "}"))
        return call.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
    }

    // MARK: Splitting

    private static func isBlank(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    private mutating func skipBlanks() {
        while offset < line.count, Self.isBlank(line[offset]) { offset += 1 }
    }

    /// Returns the next argument, which ends at a blank outside quotes and brackets, or `nil` at the end.
    private mutating func nextArgument() throws(JSONRPCCallError) -> Range<Int>? {
        skipBlanks()
        guard offset < line.count else { return nil }
        let start = offset
        var openBrackets: [Int] = []
        while offset < line.count, !openBrackets.isEmpty || !Self.isBlank(line[offset]) {
            switch line[offset] {
            case UInt8(ascii: "\""): try skipQuoted()
            case UInt8(ascii: "'") where openBrackets.isEmpty && isBeginning(of: start): try skipSingleQuoted()
            case UInt8(ascii: "["), UInt8(ascii: "{"): openBrackets.append(offset)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = openBrackets.popLast()
            default: break
            }
            offset += 1
        }
        if let bracket = openBrackets.last { throw .openBracket(offset: bracket) }
        return start..<offset
    }

    /// Whether a value begins at the current offset: at the start of the argument, or after its name and the equals
    /// sign.
    private func isBeginning(of start: Int) -> Bool {
        offset == start || endOfName(in: start..<offset) == offset - 1
    }

    /// Moves to the closing quotation mark.
    private mutating func skipQuoted() throws(JSONRPCCallError) {
        let start = offset
        repeat {
            offset += offset > start && line[offset] == UInt8(ascii: "\\") ? 2 : 1
            guard offset < line.count else { throw .openQuote(offset: start) }
        } while line[offset] != UInt8(ascii: "\"")
    }

    /// Moves to the closing quotation mark, which must end the argument.
    private mutating func skipSingleQuoted() throws(JSONRPCCallError) {
        guard let end = line[(offset + 1)...].firstIndex(of: UInt8(ascii: "'")) else {
            throw .openQuote(offset: offset)
        }
        guard end + 1 == line.count || Self.isBlank(line[end + 1]) else { throw .afterQuote(offset: end + 1) }
        offset = end
    }

    // MARK: Composing

    private func append(_ arguments: [Range<Int>], to call: inout ByteBuffer) throws(JSONRPCCallError) {
        guard let first = arguments.first else { return }
        call.append(",\"params\":")
        let ends = arguments.compactMap { endOfName(in: $0) }
        if ends.count == arguments.count { return try append(arguments, namedTo: ends, to: &call) }
        let opening = line[first.lowerBound]
        if arguments.count == 1, opening == UInt8(ascii: "{") || opening == UInt8(ascii: "["), isJSON(first) {
            return append(value: first, to: &call)
        }
        for (index, argument) in arguments.enumerated() {
            call.append(byte: index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            append(value: argument, to: &call)
        }
        call.append(byte: UInt8(ascii: "]"))
    }

    private func append(
        _ arguments: [Range<Int>], namedTo ends: [Int], to call: inout ByteBuffer
    ) throws(JSONRPCCallError) {
        var names: Set<[UInt8]> = []
        for (index, (argument, end)) in zip(arguments, ends).enumerated() {
            let name = argument.lowerBound..<end
            guard names.insert(Array(line[name])).inserted else {
                throw .repeatedName(String(decoding: line[name], as: UTF8.self))
            }
            call.append(byte: index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
            append(text: name, to: &call)
            call.append(byte: UInt8(ascii: ":"))
            append(value: end + 1..<argument.upperBound, to: &call)
        }
        call.append(byte: UInt8(ascii: "}"))
    }

    /// The end of the name in `name=value`, or `nil` for other arguments.
    private func endOfName(in argument: Range<Int>) -> Int? {
        guard let end = line[argument].firstIndex(of: UInt8(ascii: "=")), end > argument.lowerBound else { return nil }
        return line[argument.lowerBound..<end].allSatisfy(Self.isPartOfName) ? end : nil
    }

    /// Whether a byte may be part of a name: letters, digits, and common symbols. Quotes and brackets begin a value.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private func append(value: Range<Int>, to call: inout ByteBuffer) {
        if value.count > 1, line[value.lowerBound] == UInt8(ascii: "'") {
            append(text: value.lowerBound + 1..<value.upperBound - 1, to: &call)
        } else if isJSON(value) {
            line[value].withUnsafeBytes { call.append($0.bytes) }
        } else {
            append(text: value, to: &call)
        }
    }

    private func isJSON(_ value: Range<Int>) -> Bool {
        line[value].withUnsafeBytes { JSONReader.problem(in: $0.bytes) == nil }
    }

    private func append(text: Range<Int>, to call: inout ByteBuffer) {
        line[text].withUnsafeBytes { JSONString.append($0.bytes, to: &call) }
    }
}

/// Why a line cannot be converted to a JSON-RPC call.
package enum JSONRPCCallError: Error, Equatable, CustomStringConvertible {
    /// The line is blank.
    case noMethod
    /// A single or double quote at this byte offset is not closed.
    case openQuote(offset: Int)
    /// A bracket or brace at this byte offset is not closed.
    case openBracket(offset: Int)
    /// The byte at this offset follows a closing single quote without a blank between them.
    case afterQuote(offset: Int)
    /// Two arguments have the same name.
    case repeatedName(String)

    /// The problem in words.
    package var description: String {
        switch self {
        case .noMethod: "the method is missing; write METHOD [ARGUMENT...]"
        case .openQuote(let offset): "the quote at byte \(offset + 1) is not closed; add the closing quote"
        case .openBracket(let offset): "the bracket at byte \(offset + 1) is not closed; add the closing bracket"
        case .afterQuote(let offset): "byte \(offset + 1) follows a closing quote; write a space between arguments"
        case .repeatedName(let name): "the argument '\(escapingControls(name))' is repeated; give it once"
        }
    }
}
