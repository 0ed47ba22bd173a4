/// How a received binary message became the message that the run handles, with `--decode`.
package struct Decoding: Equatable {
    /// The codecs that have decoded it, such as `zlib-stream+msgpack`, or the reason why it is shown as received.
    package var result: Result
    /// The size of the received message in bytes.
    package var byteCount: Int
    /// The received message, or `nil` if no output needs it.
    package var original: [UInt8]?
    /// Whether a failure of the run reports the problem.
    package var isReported = false

    package init(result: Result, byteCount: Int, original: [UInt8]? = nil, isReported: Bool = false) {
        self.result = result
        self.byteCount = byteCount
        self.original = original
        self.isReported = isReported
    }

    package enum Result: Equatable {
        case decoded(by: String)
        case failed(String)
    }

    /// Why the message was not decoded, or `nil` if it was.
    package var problem: String? { if case .failed(let problem) = result { problem } else { nil } }
}
