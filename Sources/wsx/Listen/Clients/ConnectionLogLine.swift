import Formats
import WSCore

/// One line of the log about a finished client or request.
///
/// A client cannot forge any part of it. Everything the client chose is truncated and quoted, with quotes, backslashes,
/// and invisible characters escaped.
///
///     Client 3 disconnected: 1000, from 127.0.0.1:4711, origin "http://localhost", path "/", status 101, 12.3 s, 6 B in, 3 B out
struct ConnectionLogLine {
    // Every connection keeps one of these, so it is small: most of these strings fit inline, without a heap allocation.

    /// `127.0.0.1:4711`
    private let address: String
    /// Quoted; `nil` if the request had no Origin field.
    private let origin: String?
    private let path: String?
    /// The time at which the client was accepted, in milliseconds.
    private let acceptMilliseconds: Int

    /// Stores the client's address and its request.
    /// - Parameters:
    ///   - address: The client's address.
    ///   - request: The request, or `nil` if none arrived.
    ///   - acceptTime: The time at which the client was accepted; rounded down to milliseconds.
    init(address: PeerAddress, request: RequestHead?, acceptTime: Duration) {
        self.address = Self.compact("\(address)")
        origin = request?.fields.first(named: "Origin").map { Self.compact(quoted($0)) }
        // Omit the query, which may contain tokens.
        path = request?.path.map { Self.compact(quoted($0)) }
        acceptMilliseconds = Int(acceptTime / .milliseconds(1))
    }

    /// Returns the line.
    /// - Parameters:
    ///   - subject: The client or request and its outcome: `Client 3 disconnected: 1000`.
    ///   - status: The HTTP status of the response, or `nil` if there was none.
    ///   - now: The current time, by the same clock as `acceptTime`.
    ///   - receivedBytes: The number of bytes received from the client.
    ///   - sentBytes: The number of bytes sent to the client.
    ///   - reason: An explanation to append.
    func words(
        _ subject: String, status: Int?, now: Duration, receivedBytes: Int, sentBytes: Int, reason: String? = nil
    ) -> String {
        let client =
            "from \(address)" + (origin.map { ", origin \($0)" } ?? "")
            + (path.map { ", path \($0)" } ?? "")
        let status = status.map { ", status \($0)" } ?? ""
        let time = Phrase.seconds(now - .milliseconds(acceptMilliseconds))
        let traffic = "\(TrafficReport.size(receivedBytes)) in, \(TrafficReport.size(sentBytes)) out"
        let reason = reason.map { ": \(escapingControls($0))" } ?? ""
        return "\(subject), \(client)\(status), \(time), \(traffic)\(reason)"
    }

    /// Returns the same text without excess capacity.
    private static func compact(_ text: String) -> String {
        String(decoding: Array(text.utf8), as: UTF8.self)
    }
}
