/// A WebSocket as the only stream of an HTTP/2 connection (RFC 8441), without I/O.
///
/// The bytes of the WebSocket travel in DATA frames, as far as the peer's windows permit. DATA frames of the peer widen our
/// windows again at once.
package final class HTTP2Stream {
    enum Event {
        case head(Head)
        case data([UInt8])
        /// The peer has acknowledged settings or a ping.
        case acknowledged
        /// The peer has ended the stream or the connection, with an error or without.
        case ended(HTTP2Error?)
    }

    private let isClient: Bool
    private var reader = HTTP2FrameReader()
    private let decoder = HeaderDecoder()
    /// Frames that no window holds back.
    private var output: [UInt8]
    /// Bytes for DATA frames.
    private var queue: ArraySlice<UInt8> = []
    private var request: [UInt8] = []
    /// The number of bytes that the peer permits to send.
    private var windows = Windows()
    /// The number of bytes that the peer may send.
    private var ownWindows = Windows()
    /// SETTINGS_INITIAL_WINDOW_SIZE of the peer, and of us.
    private var initialWindow = 65535
    private var ownInitialWindow = 65535
    /// The header block that has begun, and its HEADERS frame.
    private var block: (bytes: [UInt8], frame: HTTP2Frame)?
    private var hasRequest = false
    private var ending = Ending.none
    /// Whether the frame of the latest event has ended the peer's side.
    private var hasEnded = false
    private var unreadPreface: ArraySlice<UInt8>
    /// Our settings and pings that have not been acknowledged.
    private var settingsCount = 1
    private var pings: [[UInt8]] = []
    private var hasSettings = false
    /// The WebSocket's stream: that of our request, or of the client's first one.
    private var id = HTTP2Frame.webSocket

    private struct Windows {
        var connection = 65535
        var stream = 65535
    }

    private enum Ending {
        case none
        /// END_STREAM follows the queue.
        case requested
        case sent
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// - Parameters:
    ///   - isClient: Whether we are the client.
    ///   - settings: The payload of our first SETTINGS frame, after what it has in any case.
    package init(isClient: Bool, settings: [UInt8] = []) {
        self.isClient = isClient
        unreadPreface = isClient ? [] : Self.preface[...]
        // A client permits no pushes; a server, extended CONNECT, and one stream.
        let first: [UInt8] = isClient ? [0, 2, 0, 0, 0, 0] : [0, 8, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1]
        output = isClient ? Self.preface : []
        output += HTTP2Frame(type: HTTP2Frame.settings, payload: first + settings).bytes
        resizeOwnWindow(settings)
    }

    /// Applies SETTINGS_INITIAL_WINDOW_SIZE of our settings (RFC 9113 §6.9.2).
    private func resizeOwnWindow(_ settings: [UInt8]) {
        for start in stride(from: 0, to: settings.count - 5, by: 6) where settings[start..<start + 2] == [0, 4] {
            let size = Int(UInt32(bigEndianBytes: settings[start + 2..<start + 6]))
            ownWindows.stream += size - ownInitialWindow
            ownInitialWindow = size
        }
    }

    /// Whether these are the first bytes of a client that speaks HTTP/2.
    package static func begins(with bytes: [UInt8]) -> Bool { bytes.starts(with: preface.prefix(bytes.count)) }

    // MARK: Sending

    /// Whether the request waits for the announcement of extended CONNECT.
    var awaitsConnect: Bool { !request.isEmpty }

    /// Whether bytes wait for a window.
    var isBlocked: Bool { !queue.isEmpty || !request.isEmpty }

    /// Takes what can be written.
    package func takeOutput() -> [UInt8]? {
        while let first = queue.first.map({ _ in min(queue.count, windows.connection, windows.stream) }), first > 0 {
            let count = min(first, HTTP2Frame.maximumBytes)
            output +=
                HTTP2Frame(type: HTTP2Frame.data, stream: id, payload: Array(queue.prefix(count)))
                .bytes
            queue = queue.dropFirst(count)
            windows.connection -= count
            windows.stream -= count
        }
        if queue.isEmpty, request.isEmpty, ending == .requested {
            ending = .sent
            output += HTTP2Frame(type: HTTP2Frame.data, flags: HTTP2Frame.first, stream: id).bytes
        }
        defer { output = [] }
        return output.isEmpty ? nil : output
    }

    /// Sends a header block in parts of a size. A client waits for the server's settings.
    func send(head block: [UInt8], by count: Int?) {
        var frames: [UInt8] = []
        let count = max(1, min(count ?? block.count, HTTP2Frame.maximumBytes))
        for start in stride(from: 0, to: block.count, by: count) {
            let part = block[start..<min(start + count, block.count)]
            frames +=
                HTTP2Frame(
                    type: start == 0 ? HTTP2Frame.headers : HTTP2Frame.continuation,
                    flags: part.endIndex == block.endIndex ? HTTP2Frame.endHeaders : 0, stream: id,
                    payload: Array(part)
                ).bytes
        }
        if isClient { request = frames } else { output += frames }
    }

    func send(_ bytes: [UInt8]) { queue += bytes }

    /// Whether acknowledgements are missing.
    var awaitsAcknowledgements: Bool { settingsCount > 0 || !pings.isEmpty }

    /// Sends a frame of a case, in which our stream has the number ``HTTP2Frame/webSocket``.
    func send(_ frame: HTTP2Frame) {
        var frame = frame
        if frame.stream == HTTP2Frame.webSocket { frame.stream = id }
        if !frame.has(HTTP2Frame.first) {
            if frame.type == HTTP2Frame.ping { pings.append(frame.payload) }
            if frame.type == HTTP2Frame.settings { settingsCount += 1 }
        }
        if frame.type == HTTP2Frame.settings { resizeOwnWindow(frame.payload) }
        if frame.type == HTTP2Frame.windowUpdate {
            let count = Int(UInt32(bigEndianBytes: frame.payload))
            if frame.stream == 0 { ownWindows.connection += count } else { ownWindows.stream += count }
        }
        output += frame.bytes
    }

    /// Ends our side of the stream after what has been sent. Returns whether it had not ended.
    func end() -> Bool {
        guard ending == .none else { return false }
        ending = .requested
        return true
    }

    /// Answers a frame of the peer, unless it does not read.
    private func answer(_ frame: HTTP2Frame) {
        if output.count < Self.maximumOutputBytes { output += frame.bytes }
    }

    private static let maximumOutputBytes = 1 << 20

    /// Drops the bytes that no window permits yet.
    func removeAll() { (queue, request) = ([], []) }

    // MARK: Receiving

    /// Takes the next event from the front of `input`, or `nil` if it is not complete.
    /// - Throws: ``Violation``.
    func next(_ input: inout UnsafeMutableRawBufferPointer) throws(Violation) -> Event? {
        while let byte = unreadPreface.first, let received = input.first {
            guard byte == received else { throw Violation("the preface of HTTP/2 is wrong", "9113 §3.4") }
            unreadPreface = unreadPreface.dropFirst()
            input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
        }
        guard unreadPreface.isEmpty else { return nil }
        if hasEnded {
            hasEnded = false
            return .ended(nil)
        }
        while let frame = try reader.next(&input) {
            if let event = try receive(frame) { return event }
        }
        return nil
    }

    /// Reads the request of a client.
    /// - Throws: ``Violation``.
    package func readRequest(_ bytes: inout [UInt8]) throws(Violation) -> Head? {
        var rest = bytes
        let (head, count) = try rest.withMutableBytes { (buffer) throws(Violation) -> (Head?, Int) in
            var input = buffer
            while let event = try next(&input) {
                if case .head(let head) = event { return (head, input.count) }
            }
            return (nil, input.count)
        }
        bytes = bytes.suffix(count)
        return head
    }

    private func receive(_ frame: HTTP2Frame) throws(Violation) -> Event? {
        guard hasSettings || frame.type == HTTP2Frame.settings else {
            throw Violation("the first frame is not SETTINGS", "9113 §3.4")
        }
        guard block == nil || frame.type == HTTP2Frame.continuation else {
            throw Violation("a frame interrupts a header block", "9113 §6.2")
        }
        switch frame.type {
        case HTTP2Frame.data: return try receiveData(frame)
        case HTTP2Frame.headers:
            var payload = try unpadded(frame)
            if frame.has(HTTP2Frame.priority) { payload = Array(payload.dropFirst(5)) }
            guard request.isEmpty else { throw Violation("a response comes before the request", "9113 §5.1") }
            guard frame.stream == id || !isClient && frame.stream % 2 == 1 else {
                throw Violation("a header block is for another stream", "9113 §5.1.1")
            }
            block = (payload, frame)
            return try endBlock(frame)
        case HTTP2Frame.continuation:
            guard let block, block.frame.stream == frame.stream else {
                throw Violation("a CONTINUATION frame continues nothing", "9113 §6.10")
            }
            self.block = (block.bytes + frame.payload, block.frame)
            return try endBlock(frame)
        case HTTP2Frame.settings: return try receiveSettings(frame)
        case HTTP2Frame.push: throw Violation("a PUSH_PROMISE frame, which is not permitted", "9113 §6.6, §8.4")
        case HTTP2Frame.ping: return try receivePing(frame)
        case HTTP2Frame.windowUpdate: try widen(frame)
        case HTTP2Frame.reset:
            guard frame.payload.count == 4 else { throw Violation("an RST_STREAM frame has not 4 bytes", "9113 §6.4") }
            guard frame.stream == id else { break }
            return .ended(HTTP2Error(code: UInt32(bigEndianBytes: frame.payload), endsConnection: false))
        case HTTP2Frame.goaway:
            guard frame.payload.count >= 8 else { throw Violation("a GOAWAY frame is too short", "9113 §6.8") }
            // Without an error, the connection goes on for the streams that exist.
            let code = UInt32(bigEndianBytes: frame.payload[4..<8])
            if code != 0 { return .ended(HTTP2Error(code: code, endsConnection: true)) }
        default: break
        }
        return nil
    }

    private func receivePing(_ frame: HTTP2Frame) throws(Violation) -> Event? {
        guard frame.payload.count == 8, frame.stream == 0 else {
            throw Violation("a PING frame has a wrong stream or length", "9113 §6.7")
        }
        guard frame.has(HTTP2Frame.first) else {
            answer(HTTP2Frame(type: frame.type, flags: HTTP2Frame.first, payload: frame.payload))
            return nil
        }
        guard let index = pings.firstIndex(of: frame.payload) else {
            throw Violation("the acknowledgement of a PING has another payload", "9113 §6.7")
        }
        pings.remove(at: index)
        return .acknowledged
    }

    private func widen(_ frame: HTTP2Frame) throws(Violation) {
        let count = Int(UInt32(bigEndianBytes: frame.payload) & 0x7FFF_FFFF)
        guard frame.payload.count == 4, count > 0 else {
            throw Violation("a WINDOW_UPDATE frame adds nothing", "9113 §6.9")
        }
        if frame.stream == 0 { windows.connection += count }
        if frame.stream == id { windows.stream += count }
        guard max(windows.connection, windows.stream) <= Self.largestWindow else {
            throw Violation("a window is larger than 2^31-1 bytes", "9113 §6.9.1")
        }
    }

    private static let largestWindow = 0x7FFF_FFFF

    private func unpadded(_ frame: HTTP2Frame) throws(Violation) -> [UInt8] {
        guard frame.has(HTTP2Frame.padded) else { return frame.payload }
        guard let count = frame.payload.first, Int(count) < frame.payload.count else {
            throw Violation("a frame has more padding than payload", "9113 §6.1")
        }
        return Array(frame.payload.dropFirst().dropLast(Int(count)))
    }

    private func receiveData(_ frame: HTTP2Frame) throws(Violation) -> Event? {
        guard frame.stream == id || !isClient && frame.stream % 2 == 1 else {
            throw Violation("a DATA frame is for another stream", "9113 §6.1")
        }
        let count = frame.payload.count
        guard count <= min(ownWindows.connection, ownWindows.stream) else {
            throw Violation("a DATA frame is larger than the window", "9113 §6.9.1")
        }
        if count > 0 {
            let payload = UInt32(count).bigEndianBytes
            answer(HTTP2Frame(type: HTTP2Frame.windowUpdate, payload: payload))
            answer(HTTP2Frame(type: HTTP2Frame.windowUpdate, stream: frame.stream, payload: payload))
        }
        // The stream of a request that has been refused.
        guard frame.stream == id else { return nil }
        hasEnded = frame.has(HTTP2Frame.first)
        return .data(try unpadded(frame))
    }

    private func endBlock(_ frame: HTTP2Frame) throws(Violation) -> Event? {
        guard let block, block.bytes.count <= Head.maximumBytes else {
            throw Violation("a header block is larger than 128 KiB", "9113 §10.5.1")
        }
        guard frame.has(HTTP2Frame.endHeaders) else { return nil }
        self.block = nil
        let fields = try decoder.decode(block.bytes)
        for field in fields {
            guard !field.name.contains(where: \.isUppercase) else {
                throw Violation("the name of a field is not in lower case", "9113 §8.2.1")
            }
            guard !HeaderBlock.connectionFields.contains(field.name) else {
                throw Violation("the field \(field.name) is for HTTP/1.1 only", "9113 §8.2.2")
            }
        }
        if !isClient, !hasRequest {
            hasRequest = true
            id = frame.stream
        }
        guard frame.stream == id else {
            // One WebSocket per connection, as our settings say: REFUSED_STREAM.
            answer(HTTP2Frame(type: HTTP2Frame.reset, stream: frame.stream, payload: [0, 0, 0, 7]))
            return nil
        }
        hasEnded = block.frame.has(HTTP2Frame.first)
        return .head(Head(http2: fields))
    }

    private func receiveSettings(_ frame: HTTP2Frame) throws(Violation) -> Event? {
        hasSettings = true
        guard frame.stream == 0, frame.payload.count.isMultiple(of: 6) else {
            throw Violation("a SETTINGS frame has a wrong stream or length", "9113 §6.5")
        }
        if frame.has(HTTP2Frame.first) {
            guard frame.payload.isEmpty, settingsCount > 0 else {
                throw Violation("an acknowledgement of settings has a payload, or comes without settings", "9113 §6.5")
            }
            settingsCount -= 1
            return .acknowledged
        }
        var permitsConnect = false
        for start in stride(from: 0, to: frame.payload.count, by: 6) {
            let id = UInt32(bigEndianBytes: frame.payload[start..<start + 2])
            let value = Int(UInt32(bigEndianBytes: frame.payload[start + 2..<start + 6]))
            let isValid =
                switch id {
                case 2, 8: value <= 1
                case 4: value <= Self.largestWindow
                case 5: HTTP2Frame.maximumBytes..<1 << 24 ~= value
                default: true
                }
            guard isValid else { throw Violation("a setting has a value that does not exist", "9113 §6.5.2; 8441 §3") }
            if id == 4 {
                windows.stream += value - initialWindow
                initialWindow = value
            }
            if id == 8 { permitsConnect = value == 1 }
        }
        answer(HTTP2Frame(type: frame.type, flags: HTTP2Frame.first))
        // RFC 8441 §3: the announcement may come in later settings.
        if isClient, permitsConnect {
            output += request
            request = []
        }
        return nil
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes. The method of the standard library loses the type of the error.
    mutating func withMutableBytes<R>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Violation) -> R
    ) throws(Violation) -> R {
        try withUnsafeMutableBytes { bytes in Result { () throws(Violation) in try body(bytes) } }.get()
    }
}

/// An error with which a peer ends a stream or the connection (RFC 9113 §5.4).
struct HTTP2Error: Sendable {
    let code: UInt32
    let endsConnection: Bool
}
