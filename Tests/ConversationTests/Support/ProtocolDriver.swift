import WSCore

@testable import Conversation

/// Drives a session as a connection would, and describes its output in words.
///
///     >TEXT           a text message is sent; >x0102 a binary one
///     event LINE      an event; reply KEY, refused KEY, refusal, notice, and hidden for the other roles
///     ready, failure TEXT, disconnect TEXT, line refused TEXT, close CODE TEXT, unknown TEXT
///     waits NUMBER, sent NUMBER, dropped NUMBERS
final class ProtocolDriver {
    let session: any ProtocolSession
    /// The time in seconds.
    var now = 100.0
    private var output = ProtocolOutput()

    init(_ session: any ProtocolSession) {
        self.session = session
    }

    init(_ name: String, _ parameters: [String: String] = [:]) throws {
        guard let found = ApplicationProtocol(named: name) else { throw UnknownProtocol(name: name) }
        session = try found.session(ProtocolParameters(parameters))
    }

    struct UnknownProtocol: Error {
        let name: String
    }

    private var nanoseconds: UInt64 { UInt64(now * 1e9) }

    /// Begins a connection.
    func open(_ subprotocol: String? = nil) -> [String] {
        session.connectionOpened(subprotocol: subprotocol, at: nanoseconds, &output)
        return take()
    }

    /// Receives text messages.
    func receive(_ messages: String...) -> [String] {
        for message in messages { receiveOne(Array(message.utf8), .text) }
        return take()
    }

    /// Receives a binary message.
    func receive(binary message: [UInt8]) -> [String] {
        receiveOne(message, .binary)
        return take()
    }

    private func receiveOne(_ message: [UInt8], _ kind: MessageKind) {
        message.withUnsafeBytes { session.received($0.bytes, as: kind, at: nanoseconds, &output) }
    }

    /// Types a line. The result ends with the key of the reply, or the error.
    func type(_ line: String, wantsReply: Bool = false) -> [String] {
        let bytes = Array(line.utf8)
        var last: [String] = []
        do throws(ProtocolInputError) {
            let key = try session.send(bytes.span.bytes, wantsReply: wantsReply, at: nanoseconds, &output)
            last = key.map { ["key \($0)"] } ?? []
        } catch {
            last = ["error \(error)"]
        }
        return take() + last
    }

    /// The seconds until the deadline, or `nil` without one.
    var secondsLeft: Double? { session.deadline.map { Double($0) / 1e9 - now } }

    /// Lets time pass.
    func wait(_ seconds: Double) -> [String] {
        now += seconds
        session.timePassed(at: nanoseconds, &output)
        return take()
    }

    /// The payload of the last event.
    private(set) var lastEvent: ProtocolEvent?

    private func take() -> [String] {
        defer { output.removeAll() }
        return output.items.map { item in
            switch item {
            case .send(let bytes, .text): return ">" + Self.text(bytes)
            case .send(let bytes, .binary): return ">x" + Self.hexadecimal(bytes)
            case .event(let event):
                lastEvent = event
                return Self.describe(event)
            case .ready: return "ready"
            case .failure(let reason, _): return "failure \(reason)"
            case .disconnect(let reason): return "disconnect \(reason)"
            case .lineRefused(let reason): return "line refused \(reason)"
            case .close(let code, let message): return "close \(code.rawValue) \(message)"
            case .lineWaits(let number): return "waits \(number)"
            case .lineSent(let number): return "sent \(number)"
            case .renewed(let topic): return "renewed \(topic)"
            case .linesDropped(let numbers): return "dropped " + numbers.map(String.init).joined(separator: " ")
            case .unknown(let reason): return "unknown \(reason)"
            }
        }
    }

    private static func describe(_ event: ProtocolEvent) -> String {
        let role =
            switch event.role {
            case .event(isError: false): "event"
            case .event(isError: true): "error event"
            case .reply(let key, isError: false): "reply \(key ?? "?")"
            case .reply(let key, isError: true): "refused \(key ?? "?")"
            case .refusal: "refusal"
            case .notice: "notice"
            case .hidden: "hidden"
            }
        if !event.isText {
            var words = event
            words.payload = []
            return "\(role) \(text(words.line)) x\(hexadecimal(event.payload))"
        }
        return event.line.isEmpty ? role : "\(role) \(text(event.line))"
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).split(separator: "\u{1E}", omittingEmptySubsequences: false)
            .joined(separator: "␞")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
