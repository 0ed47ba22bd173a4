import Formats
import UserInterface
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
    let address: String
    /// The path, or the URL, and, after a newline, the Origin field of the request: both quoted, and empty if there is none.
    private let request: String
    // 40 bits, so that the line and two Booleans of the client fit into 40 bytes.
    private let acceptMillisecondsLow: UInt32
    private let acceptMillisecondsHigh: UInt8
    private let version: HTTPVersion

    /// Stores the client's address and its request.
    /// - Parameters:
    ///   - address: The client's address.
    ///   - request: The request, or `nil` if none arrived.
    ///   - acceptTime: The time at which the client was accepted; rounded down to milliseconds.
    ///   - showsURL: Whether the request is that of a client of an HTTP proxy.
    init(address: PeerAddress, request: RequestHead?, acceptTime: Duration, showsURL: Bool = false) {
        self.address = Self.compact("\(address)")
        let origin = request?.fields.first(named: "Origin").map { "\n\(quoted($0))" }
        let path = (showsURL ? request?.shownURL : request?.path).map { quoted($0) }
        self.request = Self.compact((path ?? "") + (origin ?? ""))
        let milliseconds = Int(acceptTime / .milliseconds(1))
        acceptMillisecondsLow = UInt32(truncatingIfNeeded: milliseconds)
        acceptMillisecondsHigh = UInt8(truncatingIfNeeded: milliseconds >> 32)
        version = request?.version ?? .http1
    }

    /// The path, quoted, or `nil` if there is none.
    private var path: Substring? {
        let path = request.prefix { $0 != "\n" }
        return path.isEmpty ? nil : path
    }

    /// The Origin field, quoted, or `nil` if there is none.
    private var origin: Substring? {
        request.firstIndex(of: "\n").map { request[request.index(after: $0)...] }
    }

    /// The path, escaped but without quotes, or `nil` if there is none.
    var escapedPath: String? { path.map { String($0.dropFirst().dropLast()) } }

    /// The status of the response that accepts the request.
    var upgradeStatus: Int { version == .http2 ? 200 : 101 }

    /// Returns the line.
    /// - Parameters:
    ///   - subject: The client or request and its outcome: `Client 3 disconnected: 1000`.
    ///   - status: The HTTP status of the response, or `nil` if there was none.
    ///   - now: The current time, by the same clock as `acceptTime`.
    ///   - receivedBytes: The number of bytes received from the client.
    ///   - sentBytes: The number of bytes sent to the client.
    ///   - lostBytes: The number of these bytes that did not reach the client.
    ///   - reason: An explanation to append.
    func words(
        _ subject: String, status: Int?, now: Duration, receivedBytes: Int, sentBytes: Int, lostBytes: Int = 0,
        reason: String? = nil
    ) -> String {
        let client =
            "from \(address)" + (origin.map { ", origin \($0)" } ?? "")
            + (path.map { ", \($0.hasPrefix("\"/") ? "path" : "url") \($0)" } ?? "")
        let status = status.map { ", status \($0)" } ?? ""
        let time = Phrase.seconds(duration(until: now))
        let sent = TrafficReport.size(max(0, sentBytes - lostBytes))
        let traffic = "\(TrafficReport.size(receivedBytes)) in, \(sent) out\(Self.words(forLost: lostBytes))"
        let reason = reason.map { ": \(escapingControls($0))" } ?? ""
        return "\(subject), \(client)\(status), \(time), \(traffic)\(reason)"
    }

    /// The output that did not reach the client: `, 9.5 MiB lost`, or nothing.
    static func words(forLost byteCount: Int) -> String {
        byteCount > 0 ? ", \(TrafficReport.size(byteCount)) lost" : ""
    }

    /// The time since the client was accepted.
    /// - Parameter now: The current time, by the same clock as `acceptTime`.
    func duration(until now: Duration) -> Duration {
        now - .milliseconds(Int(acceptMillisecondsHigh) << 32 | Int(acceptMillisecondsLow))
    }

    /// Returns the same text without excess capacity.
    private static func compact(_ text: String) -> String {
        String(decoding: Array(text.utf8), as: UTF8.self)
    }
}

extension RequestHead {
    /// The path, or the URL or target that a client of an HTTP proxy names, without the query, which may contain tokens.
    var shownURL: String {
        let url = target.utf8.first == UInt8(ascii: "/") ? target : url(isSecure: false)
        return String(Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
