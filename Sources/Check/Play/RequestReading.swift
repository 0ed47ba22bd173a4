import Conformance
import WSCore

/// A client's request.
struct ReceivedRequest {
    let head: Head
    /// The bytes behind the head.
    let firstBytes: [UInt8]
    /// The connection, if the client speaks HTTP/2.
    var http2: HTTP2Stream?
}

/// Reads the request of a client.
final class RequestReading: ByteStreamDelegate {
    private let stream: any ByteStream
    private let limit: Duration
    private let acceptsHTTP2: Bool
    private let completion: (any ByteStream, ReceivedRequest?) -> Void
    private var bytes: [UInt8] = []
    private var http2: HTTP2Stream?
    private var timer: Timer?

    /// The largest head in bytes.
    private static let maximumBytes = 64 << 10

    /// - Parameter completion: Receives the request, or `nil` if none comes in time.
    init(
        of stream: any ByteStream, limit: Duration, acceptsHTTP2: Bool,
        completion: @escaping (any ByteStream, ReceivedRequest?) -> Void
    ) {
        self.stream = stream
        self.limit = limit
        self.acceptsHTTP2 = acceptsHTTP2
        self.completion = completion
    }

    func start() {
        stream.delegate = self
        timer = Timer(on: stream.loop) { [unowned self] in end(nil) }
        timer?.start(after: limit)
        stream.startReading()
    }

    private func end(_ request: ReceivedRequest?) {
        timer = nil
        stream.stopReading()
        completion(stream, request)
    }

    func stream(_ stream: any ByteStream, didRead span: inout MutableRawSpan) {
        span.withUnsafeBytes { bytes += $0 }
        if http2 == nil, acceptsHTTP2, HTTP2Stream.begins(with: bytes) { http2 = HTTP2Stream(isClient: false) }
        if let http2 { return readHTTP2(http2) }
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard
            let index = bytes.indices.dropLast(3).first(where: { bytes[$0] == 0x0D && bytes[$0...].starts(with: end) })
        else {
            if bytes.count > Self.maximumBytes { self.end(nil) }
            return
        }
        let head = Head(Array(bytes[..<(index + 4)]))
        self.end(head.map { ReceivedRequest(head: $0, firstBytes: Array(bytes[(index + 4)...])) })
    }

    private func readHTTP2(_ http2: HTTP2Stream) {
        let head: Head?
        do throws(Violation) {
            head = try http2.readRequest(&bytes)
        } catch {
            return end(nil)
        }
        // The client waits for our settings before its request.
        var output = ByteBuffer()
        if let bytes = http2.takeOutput() { output.append(bytes.span.bytes) }
        do throws(StreamError) {
            try stream.write(&output)
        } catch {
            return end(nil)
        }
        if let head { end(ReceivedRequest(head: head, firstBytes: bytes, http2: http2)) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) { end(nil) }
    func streamDidDrain(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { end(nil) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
