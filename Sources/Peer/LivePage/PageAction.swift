import Formats
import WSCore

/// What a page asks for.
package enum PageAction: Equatable {
    /// Send an item with a payload: to a client, or to all without a number; or to the server.
    case send(InputItem, [UInt8], client: Int?, toServer: Bool)
    /// Hold the messages that match these conditions, and no others.
    case hold([String])
    /// Let held messages pass: these, or all of them.
    case release([Int]?, with: HeldEdit?)
    /// Drop held messages.
    case drop([Int])

    /// What takes the place of a held message.
    package struct HeldEdit: Equatable {
        package let payload: [UInt8]
        package let kind: MessageKind
    }

    /// The maximum number of messages that an action names.
    private static let maximumCount = 10_000

    /// Parses a text message of a page.
    /// - Throws: ``PageProblem``.
    init(_ text: RawSpan) throws(PageProblem) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text)
        } catch {
            throw PageProblem("the page sent no JSON: \(error)")
        }
        guard case .object(let members) = value else { throw PageProblem("the page sent no object") }
        let fields = Fields(members: members)
        switch fields.text("do") {
        case "send":
            guard let edit = try fields.payload() else { throw PageProblem("there is no text to send") }
            self = try fields.sending(.message(edit.kind), edit.payload)
        case "ping":
            let payload = try fields.payload()?.payload ?? []
            guard payload.count <= FrameHeader.maximumControlPayloadBytes else {
                throw PageProblem("a ping has at most \(FrameHeader.maximumControlPayloadBytes) bytes")
            }
            self = try fields.sending(.ping, payload)
        case "close": self = try fields.sending(.close(try fields.closeFrame()), [])
        case "hold": self = .hold(try fields.conditions())
        case "release": self = .release(fields.isTrue("all") ? nil : try fields.ids(), with: try fields.payload())
        case "drop": self = .drop(try fields.ids())
        default: throw PageProblem("the page asked for something unknown; reload it")
        }
    }

    /// The members of an action.
    private struct Fields {
        let members: [ExactString: JSONValue]

        func text(_ name: String) -> String? {
            if case .string(let text)? = members[ExactString(name)] { text } else { nil }
        }

        func isTrue(_ name: String) -> Bool { members[ExactString(name)] == .bool(true) }

        func number(_ name: String) throws(PageProblem) -> Int? {
            guard let value = members[ExactString(name)], value != .null else { return nil }
            guard case .number(let digits) = value, let number = Int(digits) else {
                throw PageProblem("'\(name)' is not a whole number")
            }
            return number
        }

        private func list(_ name: String) throws(PageProblem) -> [JSONValue] {
            guard case .array(let list)? = members[ExactString(name)], list.count <= maximumCount else {
                throw PageProblem("'\(name)' is not a list of at most \(maximumCount)")
            }
            return list
        }

        func ids() throws(PageProblem) -> [Int] {
            try list("ids").map { (value) throws(PageProblem) in
                guard case .number(let digits) = value, let id = Int(digits) else {
                    throw PageProblem("'ids' are not numbers")
                }
                return id
            }
        }

        func conditions() throws(PageProblem) -> [String] {
            try list("conditions").map { (value) throws(PageProblem) in
                guard case .string(let text) = value else { throw PageProblem("'conditions' are not texts") }
                return text
            }
        }

        private func givenText(_ name: String) throws(PageProblem) -> String? {
            guard members[ExactString(name)] != nil else { return nil }
            guard let text = text(name) else { throw PageProblem("'\(name)' is no text") }
            return text
        }

        /// The text, or the bytes, or `nil` if there is neither.
        func payload() throws(PageProblem) -> HeldEdit? {
            if let text = try givenText("text") { return HeldEdit(payload: Array(text.utf8), kind: .text) }
            guard let text = try givenText("base64") else { return nil }
            var bytes = ByteBuffer()
            do throws(EncodedTextError) {
                try Base64.appendDecoded(Array(text.utf8).span.bytes, to: &bytes)
            } catch {
                throw PageProblem("'base64' is invalid")
            }
            return HeldEdit(
                payload: bytes.withReadableBytes { $0.withUnsafeBytes { Array($0) } }, kind: .binary)
        }

        func sending(_ item: InputItem, _ payload: [UInt8]) throws(PageProblem) -> PageAction {
            guard let side = text("to"), ["client", "server"].contains(side) else {
                throw PageProblem("'to' is neither client nor server")
            }
            return .send(item, payload, client: try number("client"), toServer: side == "server")
        }

        func closeFrame() throws(PageProblem) -> CloseFrame {
            let code = CloseCode(rawValue: UInt16(clamping: try number("code") ?? 1000))
            guard code.mayTravel else { throw PageProblem("close frames cannot have the code \(code.rawValue)") }
            let reason = text("reason") ?? ""
            guard reason.utf8.count <= CloseFrame.maximumReasonBytes else {
                throw PageProblem("a reason has at most \(CloseFrame.maximumReasonBytes) bytes")
            }
            return CloseFrame(code: code, reason: reason)
        }
    }
}

/// Why an action of a page failed, in one line.
package struct PageProblem: Error, Equatable {
    package let words: String

    package init(_ words: String) { self.words = words }
}
