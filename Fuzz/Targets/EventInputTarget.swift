import Foundation
import WSCore

@testable import Peer

extension FuzzTarget {
    /// JSON events from arbitrary sources.
    ///
    /// - A second JSON parser reads every accepted event as an object with a known type.
    /// - Events fit into their frames: text is UTF-8, control frames hold up to 125 bytes, and close codes may be sent.
    /// - Events survive writing and reading.
    static let eventInput = FuzzTarget(name: "event-input") { input in
        var reader = EventReader(readsTimes: true)
        guard let event = try? reader.read(input.span.bytes) else { return }
        expect(String(validating: input, as: UTF8.self) != nil, "it is not UTF-8")
        guard case .item(let item) = event.kind else { return }
        let payload = reader.withPayload { bytes(of: $0) }
        switch item {
        case .message(.text): expect(String(validating: payload, as: UTF8.self) != nil, "a text is not UTF-8")
        case .message(.binary): break
        case .ping, .pong: expect(payload.count <= 125, "a control frame of \(payload.count) bytes")
        case .close(let frame):
            expect(frame?.code?.mayTravel ?? true, "a code that may not travel")
            expect(frame?.reason.utf8.count ?? 0 <= 123, "a reason that is too long")
        case .end: unexpected("an event ends the input")
        }
        guard let line = written(item, payload) else { return }
        var second = EventReader()
        guard let again = try? second.read(line.span.bytes) else { unexpected("the written event cannot be read") }
        expectEqual(again.kind, event.kind, "the event, written and read")
        expectEqual(second.withPayload { bytes(of: $0) }, payload, "the payload, written and read")
    }

    /// Writes the event of an item. Returns nil for an end without a close frame, which several events represent.
    private static func written(_ item: InputItem, _ payload: [UInt8]) -> [UInt8]? {
        let type: StaticString =
            switch item {
            case .message: "message"
            case .ping: "ping"
            case .pong: "pong"
            case .close, .end: "close"
            }
        var event = JSONEvent(type, time: Array("2026-05-01T12:00:00.000000Z".utf8).span.bytes, into: ByteBuffer())
        switch item {
        case .message(let kind):
            event.add("opcode", kind == .text ? "text" as StaticString : "binary")
            event.addPayload(payload.span.bytes, isText: kind == .text)
        case .ping, .pong: event.addPayload(payload.span.bytes, isText: false)
        case .end: return nil
        case .close(let frame):
            guard let frame else { return nil }
            event.add("code", Int((frame.code ?? .noStatus).rawValue))
            event.add("reason", frame.reason)
        }
        return contents(of: event.finish())
    }
}
