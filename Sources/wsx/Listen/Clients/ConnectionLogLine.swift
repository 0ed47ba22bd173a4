import WSCore

/// What the log says of a client when all is over, of which a client can forge nothing: whatever it chose itself stands in
/// quotes, cut to a length, with quotes, backslashes and everything invisible escaped.
///
///     Client 3 disconnected: 1000, from 127.0.0.1:4711, origin "http://localhost", path "/", status 101, 12.3 s, 6 B in, 3 B out
struct ConnectionLogLine {
    // Little, as every connection keeps it: most of these texts need no storage of their own.

    /// `127.0.0.1:4711`
    private let address: String
    /// In quotes; nil: there was none.
    private let origin: String?
    private let path: String?
    /// When the client was accepted, in milliseconds.
    private let acceptMilliseconds: Int

    /// Takes down who the client is and what it asked for.
    /// - Parameters:
    ///   - address: Where it comes from.
    ///   - request: What it asked for; nil: that did not come.
    ///   - acceptTime: When it was accepted, to the millisecond.
    init(address: PeerAddress, request: RequestHead?, acceptTime: Duration) {
        self.address = Self.compact("\(address)")
        origin = request?.fields.first(named: "Origin").map { Self.compact(quoted($0)) }
        // Without the query, where tokens may stand.
        path = request?.path.map { Self.compact(quoted($0)) }
        acceptMilliseconds = Int(acceptTime / .milliseconds(1))
    }

    /// The line.
    /// - Parameters:
    ///   - subject: What it is about, and how that ended: `Client 3 disconnected: 1000`.
    ///   - status: The status of the answer; nil: there was none.
    ///   - now: The time, by the clock of `acceptTime`.
    ///   - receivedBytes: What came from the client.
    ///   - sentBytes: What went to it.
    ///   - reason: Why, where that needs words.
    func words(
        _ subject: String, status: Int?, now: Duration, receivedBytes: Int, sentBytes: Int, reason: String? = nil
    ) -> String {
        let client =
            "from \(address)" + (origin.map { ", origin \($0)" } ?? "")
            + (path.map { ", path \($0)" } ?? "")
        let status = status.map { ", status \($0)" } ?? ""
        let time = Self.words(for: now - .milliseconds(acceptMilliseconds))
        let traffic = "\(TrafficReport.size(receivedBytes)) in, \(TrafficReport.size(sentBytes)) out"
        let reason = reason.map { ": \(escapingControls($0))" } ?? ""
        return "\(subject), \(client)\(status), \(time), \(traffic)\(reason)"
    }

    /// The same text, with no more storage than it needs.
    private static func compact(_ text: String) -> String {
        String(decoding: Array(text.utf8), as: UTF8.self)
    }

    /// A duration to the tenth of a second: `12.3 s`.
    private static func words(for duration: Duration) -> String {
        let tenths = Int(clamping: Int64((duration / .milliseconds(100)).rounded()))
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
