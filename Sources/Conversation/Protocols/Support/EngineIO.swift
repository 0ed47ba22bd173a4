import Formats
import WSCore

/// The heartbeats and the binary data of Engine.IO, below Socket.IO.
///
///     version 4   the server sends pings
///     version 3   the client sends pings; binary data begins with the type of the packet
struct EngineIO {
    /// 3 or 4.
    let version: Int
    /// How long the server may be silent, in nanoseconds.
    private var silenceLimit: UInt64?
    private var silenceDeadline: UInt64?
    /// When to send the next ping, and the time between pings in nanoseconds; `nil` if the server sends them.
    private var ping: (time: UInt64, interval: UInt64)?

    /// One day.
    private static let maximumMilliseconds = 86_400_000
    /// A server must not make us send pings without a pause.
    private static let shortestPingMilliseconds = 100
    /// The first byte of binary data in version 3.
    private static let messageType: UInt8 = 4

    init(version: Int) { self.version = version }

    /// See ``ProtocolSession/deadline``.
    var deadline: UInt64? { [silenceDeadline, ping?.time].compactMap(\.self).min() }

    /// Handles the handshake: "the server … MUST respond with an open packet".
    /// - Returns: Whether it is valid.
    mutating func open(_ handshake: [UInt8], at now: UInt64) -> Bool {
        guard let members = JSONMembers(handshake), let interval = members.integer("pingInterval"),
            let timeout = members.integer("pingTimeout"), 0...Self.maximumMilliseconds ~= interval,
            0...Self.maximumMilliseconds ~= timeout
        else { return false }
        // python-socketio rounds intervals to whole seconds, so 0 says nothing about the time between pings.
        silenceLimit = interval > 0 ? UInt64(interval + timeout) * 1_000_000 : nil
        if version == 3 {
            let interval = UInt64(max(interval, Self.shortestPingMilliseconds)) * 1_000_000
            ping = (now + interval, interval)
        }
        received(at: now)
        return true
    }

    /// The server is not silent.
    mutating func received(at now: UInt64) {
        silenceDeadline = silenceLimit.map { now.addingReportingOverflow($0).partialValue }
    }

    mutating func timePassed(at now: UInt64, _ output: inout ProtocolOutput) {
        if let due = ping, now >= due.time {
            output.send(Array("2".utf8))
            ping?.time = now + due.interval
        }
        guard let deadline = silenceDeadline, now >= deadline, let silenceLimit else { return }
        silenceDeadline = nil
        // Heartbeat: "if the client does not receive a ping packet within pingInterval + pingTimeout, then it SHOULD
        // consider that the connection is closed". The client of version 3 waits as long for a pong.
        let limit = Phrase.duration(.nanoseconds(Int64(clamping: silenceLimit)))
        output.append(.disconnect("the server sent nothing for \(limit), not even a \(version == 3 ? "pong" : "ping")"))
    }

    /// The data of a binary message, or `nil` if it is none of a packet with a message.
    func data(of message: [UInt8]) -> [UInt8]? {
        guard version == 3 else { return message }
        return message.first == Self.messageType ? Array(message[1...]) : nil
    }

    /// The data of a text, which version 3 may send as `b4` and Base64, or `nil` for another text.
    func data(ofText text: [UInt8]) -> [UInt8]? {
        guard version == 3, text.starts(with: "b4".utf8) else { return nil }
        return JSONBytes.decoded(String(decoding: text[2...], as: UTF8.self))
    }

    /// The messages with which binary data is sent.
    func encode(_ messages: [ProtocolOutput.Item]) -> [ProtocolOutput.Item] {
        guard version == 3 else { return messages }
        return messages.map { item in
            guard case .send(let bytes, .binary) = item else { return item }
            return .send([Self.messageType] + bytes, .binary)
        }
    }
}
