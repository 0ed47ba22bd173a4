import Conformance
import WSCore

/// Reads the head of a client's request.
final class RequestReading: ByteStreamDelegate {
    private let stream: SystemStream
    private let limit: Duration
    private let completion: (Head?, _ firstBytes: [UInt8]) -> Void
    private var bytes: [UInt8] = []
    private var timer: Timer?

    /// The largest head in bytes.
    private static let maximumBytes = 64 << 10

    /// - Parameter completion: Receives the request and the bytes behind it, or `nil` if none comes in time.
    init(of stream: SystemStream, limit: Duration, completion: @escaping (Head?, _ firstBytes: [UInt8]) -> Void) {
        self.stream = stream
        self.limit = limit
        self.completion = completion
    }

    func start() {
        stream.delegate = self
        timer = Timer(on: stream.loop) { [unowned self] in end(nil, []) }
        timer?.start(after: limit)
        stream.startReading()
    }

    private func end(_ head: Head?, _ firstBytes: [UInt8]) {
        timer = nil
        stream.stopReading()
        completion(head, firstBytes)
    }

    func stream(_ stream: any ByteStream, didRead span: inout MutableRawSpan) {
        span.withUnsafeBytes { bytes += $0 }
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard
            let index = bytes.indices.dropLast(3).first(where: { bytes[$0] == 0x0D && bytes[$0...].starts(with: end) })
        else {
            if bytes.count > Self.maximumBytes { self.end(nil, []) }
            return
        }
        self.end(Head(Array(bytes[..<(index + 4)])), Array(bytes[(index + 4)...]))
    }

    func streamDidReachEnd(_ stream: any ByteStream) { end(nil, []) }
    func streamDidDrain(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { end(nil, []) }
    func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
}
