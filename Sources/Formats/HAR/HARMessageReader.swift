import WSCore

/// Reads the messages of a connection in a HAR file, one after another.
package struct HARMessageReader: ~Copyable {
    private var stream: HARStream
    private var number = 0
    private var isEntered = false
    private var payload = ByteBuffer()

    /// The maximum length of a message, in bytes of the text.
    private static let maximumMessageBytes = 64 << 20
    /// A larger payload is released before the next message.
    private static let keptStorageBytes = 1 << 20

    /// Creates a reader.
    package init(_ messages: HAREntry.Messages, in source: @escaping JSONStream.Source) {
        stream = HARStream(JSONStream(at: messages.offset, source: source))
    }

    /// Passes the payload of the last message to `body`.
    package func withPayload<R>(_ body: (RawSpan) -> R) -> R {
        payload.withReadableBytes(body)
    }

    /// Reads the next message. Returns `nil` at the end.
    /// - Throws: ``HARError``.
    package mutating func next() throws(HARError) -> HARMessage? {
        payload.removeAll()
        payload.releaseStorage(above: Self.keptStorageBytes)
        if !isEntered {
            guard try stream.enter(.array) else { return nil }
            isEntered = true
        }
        guard try stream.nextElement() else { return nil }
        number += 1
        let text = try stream.take(limitBytes: Self.maximumMessageBytes)
        var message = HARMessage.other
        try text.withReadableBytes { (text) throws(HARError) in message = try read(text) }
        return message
    }

    private mutating func read(_ text: RawSpan) throws(HARError) -> HARMessage {
        let members: [(name: JSONToken, value: JSONToken)]?
        do throws(JSONError) { members = try JSONReader.members(of: text) } catch { throw .text(.invalid(error)) }
        guard let members else { throw .badValue(.message(number, ""), expected: "an object") }
        // If several members have the same name, the last one counts.
        var ranges: [String: Range<Int>] = [:]
        for (name, value) in members {
            let literal = text.extracting(name.range)
            guard !HARValue.isNull(text.extracting(value.range)),
                let name = try? HARValue.string(literal, at: .message(number, ""))
            else { continue }
            ranges[name] = value.range
        }
        let type = try ranges["type"].flatMap { (range) throws(HARError) in
            try HARValue.string(text.extracting(range), at: .message(number, "type"))
        }
        let opcode = try ranges["opcode"].flatMap { (range) throws(HARError) in
            try HARValue.number(text.extracting(range), at: .message(number, "opcode"))
        }
        let time = try ranges["time"].flatMap { (range) throws(HARError) in
            try HARValue.time(text.extracting(range), at: .message(number, "time"))
        }
        // Chromium's errors have the opcode -1.
        guard type != "error" else { return .other }
        guard let type, type == "send" || type == "receive" else {
            throw .badValue(.message(number, "type"), expected: "'send' or 'receive'")
        }
        let kind: MessageKind
        switch opcode {
        case nil, 1: kind = .text
        case 2: kind = .binary
        case let opcode?:
            guard opcode == 0 || 8...10 ~= opcode else {
                throw .badValue(.message(number, "opcode"), expected: "1 (text) or 2 (binary)")
            }
            return .other
        }
        try readPayload(ranges["data"], kind, in: text)
        return .message(kind, isSent: type == "send", time: time)
    }

    private mutating func readPayload(_ range: Range<Int>?, _ kind: MessageKind, in text: RawSpan) throws(HARError) {
        let place = HARPlace.message(number, "data")
        guard let range else { throw .badValue(place, expected: "a string") }
        guard kind == .binary else {
            return try HARValue.appendString(text.extracting(range), to: &payload, at: place)
        }
        var base64 = ByteBuffer()
        try HARValue.appendString(text.extracting(range), to: &base64, at: place)
        do throws(EncodedTextError) {
            try base64.withReadableBytes { (base64) throws(EncodedTextError) in
                try Base64.appendDecoded(base64, to: &payload)
            }
        } catch {
            throw .notBase64(place, error)
        }
    }
}
