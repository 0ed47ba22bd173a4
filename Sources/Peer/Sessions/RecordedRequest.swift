import Formats
import WSCore
import UserInterface

/// The contents of an event `http`: a request that opened no WebSocket, and its response.
package struct RecordedRequest {
    /// The URL, the status, and the fields, without secrets.
    let heads: RecordedOpening
    let method: String
    /// The version of HTTP: `1.0`, `1.1`, or `2`.
    let version: String
    /// The time at which the response ended, since 1970-01-01 UTC.
    let endTime: Duration
    /// The time from the end of the request's head to the end of the response.
    let duration: Duration
    /// The sizes of the bodies of request and response in bytes.
    let (receivedBytes, sentBytes): (Int, Int)
    /// Whether the response is incomplete.
    let isCut: Bool
    /// Why the relay answered, or the response is incomplete.
    let reason: String?

    /// Reads an event.
    init(at range: Range<Int>, in input: SessionInput) throws(Failure) {
        let members = try RecordedOpening.members(at: range, in: input)
        heads = RecordedOpening(members, or: ("http://unknown.invalid/", 0))
        isCut = members["cut"] != nil
        reason = Self.text(members["reason"])
        method = Self.text(members["method"]) ?? "GET"
        version = Self.text(members["http"]) ?? "1.1"
        endTime = Self.text(members["time"]).flatMap(EventTime.parse) ?? .zero
        duration = .microseconds(Self.number(members["duration_us"]))
        (receivedBytes, sentBytes) = (Self.number(members["received_bytes"]), Self.number(members["sent_bytes"]))
    }

    private static func text(_ member: JSONValue?) -> String? {
        if case .string(let text)? = member { text } else { nil }
    }

    /// A whole number up to an hour in microseconds, or the size of a large body; 0 for anything else.
    private static func number(_ member: JSONValue?) -> Int {
        guard case .number(let text)? = member, let number = Int(text), number >= 0 else { return 0 }
        return min(number, 1 << 50)
    }
}
