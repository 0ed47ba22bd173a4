import Foundation
import WSCore

@testable import Peer

extension FuzzTarget {
    /// The JSON events of received data.
    ///
    /// - An event is one line of UTF-8 that cannot control a terminal.
    /// - A second JSON parser reads back the payload, as `data` or `base64`, and text in other fields.
    static let jsonEvents = FuzzTarget(name: "json-events") { input in
        let isText = String(validating: input, as: UTF8.self) != nil
        let text = String(decoding: input, as: UTF8.self)
        var event = JSONEvent("message", time: Array("2026-05-01T12:00:00.000000Z".utf8).span.bytes, into: ByteBuffer())
        event.add("direction", "in")
        event.add("bytes", input.count)
        event.add("clean", true)
        event.add("reason", text)
        event.addPayload(input.span.bytes, isText: isText)
        let line = contents(of: event.finish())

        expectEqual(line.last, UInt8(ascii: "\n"), "the end of the line")
        guard let shown = String(validating: line.dropLast(), as: UTF8.self) else { unexpected("it is not UTF-8") }
        expectOneSafeLine(shown)
        guard let fields = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
            unexpected("it is not JSON: \(shown)")
        }
        expectEqual(fields.count, 7, "the number of fields")
        expectEqual(fields["bytes"] as? Int, input.count, "bytes")
        // Compare bytes, because equal Swift strings may consist of different scalars.
        expectEqual((fields["reason"] as? String).map { Array($0.utf8) }, Array(text.utf8), "reason")
        let payload =
            isText
            ? (fields["data"] as? String).map { Array($0.utf8) }
            : (fields["base64"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        expectEqual(payload, input, "the payload")
    }
}
