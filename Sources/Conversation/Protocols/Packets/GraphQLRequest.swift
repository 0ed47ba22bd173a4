import Formats
import WSCore

/// A GraphQL request in the notation of typed lines.
struct GraphQLRequest: Equatable {
    /// The payload of a subscribe message: `{"query":"…","variables":{…}}`.
    let payload: [UInt8]
    /// Whether the request has a stream of results.
    let isSubscription: Bool

    private static let form = "write a GraphQL document, as in: subscription { time }"

    /// Parses a document with optional variables, or a JSON object with a query.
    init(_ text: [UInt8]) throws(ProtocolInputError) {
        if let members = JSONMembers(text) {
            guard let query = members.string("query") else {
                throw ProtocolInputError("the JSON object has no query; \(Self.form), or {\"query\":\"{ time }\"}")
            }
            payload = JSONText.compact(text) ?? text
            isSubscription = try GraphQLDocument(Array(query.utf8)).isSubscription
            return
        }
        guard !text.isEmpty else { throw ProtocolInputError("the document is missing; \(Self.form)") }
        let document = try GraphQLDocument(text)
        isSubscription = document.isSubscription
        let query = JSONText.string(Array(text[..<document.end].trimmingBlanks()))
        var payload = Array("{\"query\":".utf8) + query
        let variables = Array(text[document.end...])
        if !variables.isEmpty {
            guard JSONMembers(variables) != nil, let json = JSONText.compact(variables) else {
                throw ProtocolInputError(
                    "the variables after the document are not a JSON object; "
                        + "write DOCUMENT {VARIABLES}, as in: query Q($x: Int) { add(x: $x) } {\"x\":1}")
            }
            payload += Array(",\"variables\":".utf8) + json
        }
        self.payload = payload + Array("}".utf8)
    }
}

/// The structure of a GraphQL document, as far as it is needed: whether it contains a subscription, and where it ends.
/// The server checks everything else.
///
/// Sections refer to the GraphQL specification of October 2021.
struct GraphQLDocument: Equatable {
    private(set) var isSubscription = false
    /// The offset after the document: the start of the variables, or the end of the text.
    private(set) var end: Int

    init(_ text: [UInt8]) throws(ProtocolInputError) {
        end = text.count
        var offset = 0
        /// The open braces and parentheses.
        var brackets: [Int] = []
        var hasSelection = false
        /// The last byte that is not blank or part of a comment.
        var previous: UInt8?
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: "{") where brackets.isEmpty && hasSelection && Self.isObject(text, at: offset):
                end = offset
                return
            case UInt8(ascii: "{"), UInt8(ascii: "("):
                if brackets.isEmpty, text[offset] == UInt8(ascii: "{") { hasSelection = true }
                brackets.append(offset)
            case UInt8(ascii: "}"), UInt8(ascii: ")"):
                let opening = text[offset] == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "(")
                guard let last = brackets.popLast(), text[last] == opening else {
                    throw ProtocolInputError("the bracket at byte \(offset + 1) closes nothing; remove it")
                }
            case UInt8(ascii: "\""): offset = try Self.endOfString(text, at: offset)
            // §2.1.4: a comment ends with the line.
            case UInt8(ascii: "#"):
                while offset < text.count, !Self.endsLine(text[offset]) { offset += 1 }
                continue
            case 0x20, 0x09, 0x0A, 0x0D:
                offset += 1
                continue
            case let byte where Self.isNameStart(byte):
                let start = offset
                while offset + 1 < text.count, Self.isNamePart(text[offset + 1]) { offset += 1 }
                // A keyword begins the document, or follows another definition or a description.
                let follows = previous == nil || previous == UInt8(ascii: "}") || previous == UInt8(ascii: "\"")
                let isKeyword = brackets.isEmpty && follows
                if isKeyword, text[start...offset].elementsEqual("subscription".utf8) { isSubscription = true }
            default: break
            }
            previous = text[offset]
            offset += 1
        }
        if let bracket = brackets.last {
            throw ProtocolInputError("the bracket at byte \(bracket + 1) is not closed; add the closing bracket")
        }
        guard hasSelection else {
            throw ProtocolInputError(
                "the document has no selection in braces; write a GraphQL document, as in: subscription { time }")
        }
    }

    /// Whether a JSON object begins at a brace. A selection set is not empty and begins with a name or dots (§2.4).
    private static func isObject(_ text: [UInt8], at brace: Int) -> Bool {
        let next = text[(brace + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }

    /// Returns the offset of the last quotation mark of a string (§2.9.4).
    private static func endOfString(_ text: [UInt8], at start: Int) throws(ProtocolInputError) -> Int {
        let block = Array("\"\"\"".utf8)
        let isBlock = text[start...].starts(with: block)
        var offset = start + (isBlock ? 3 : 1)
        while offset < text.count {
            if text[offset] == UInt8(ascii: "\\") {
                // A block string has only one escape: \""".
                offset += !isBlock ? 2 : text[(offset + 1)...].starts(with: block) ? 4 : 1
            } else if isBlock, text[offset...].starts(with: block) {
                return offset + 2
            } else if !isBlock, text[offset] == UInt8(ascii: "\"") {
                return offset
            } else {
                offset += 1
            }
        }
        throw ProtocolInputError("the quote at byte \(start + 1) is not closed; add the closing quote")
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        isNameStart(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
