import Peer
import WSCore

/// The server's side of one recorded connection, and the client messages it answered.
struct ReplayConversation: Sendable {
    /// An item that the server sent.
    struct Reply: Equatable, Sendable {
        let item: InputItem
        /// The range of the payload in the recording's payloads.
        let payload: Range<Int>
        /// The time since the request it answers, scaled by the replay speed.
        let pause: Duration
    }

    /// A message of the client, and everything the server sent before the next one.
    struct Exchange: Equatable, Sendable {
        /// The client's message, or `nil` for the exchange that begins with the opening of the connection.
        let request: Request?
        var replies: [Reply] = []
    }

    /// A message of the client.
    struct Request: Equatable, Sendable {
        let kind: MessageKind
        let payload: Range<Int>
    }

    /// The exchanges in order. The first contains what the server sent before any client message.
    let exchanges: [Exchange]
    /// The payloads of the whole recording.
    private let payloads: [UInt8]
    /// The indices of the exchanges, in order, by the hash of their request.
    private let exchangesByHash: [Int: [Int]]

    /// Creates a conversation and its index.
    init(_ exchanges: [Exchange], payloads: [UInt8]) {
        self.exchanges = exchanges
        self.payloads = payloads
        var exchangesByHash: [Int: [Int]] = [:]
        for (index, exchange) in exchanges.enumerated() {
            guard let request = exchange.request else { continue }
            let hash = payloads.withUnsafeBytes {
                Self.hash(UnsafeRawBufferPointer(rebasing: $0[request.payload]), request.kind)
            }
            exchangesByHash[hash, default: []].append(index)
        }
        self.exchangesByHash = exchangesByHash
    }

    /// The indices of the exchanges that begin with this message, in order.
    func exchanges(with payload: RawSpan, _ kind: MessageKind) -> [Int] {
        payload.withUnsafeBytes { bytes in
            let candidates = exchangesByHash[Self.hash(bytes, kind)] ?? []
            // Only the first candidate is compared. If different messages share a hash, which is extremely unlikely,
            // the message counts as unknown.
            guard let first = candidates.first, let request = exchanges[first].request, request.kind == kind,
                payloads.withUnsafeBytes({ $0[request.payload].elementsEqual(bytes) })
            else { return [] }
            return candidates
        }
    }

    /// Passes a reply of an exchange and its payload to `body`. Returns `false` if the exchange has no reply at this
    /// index.
    func withReply(_ index: Int, of exchange: Int, _ body: (Reply, RawSpan) -> Void) -> Bool {
        let replies = exchanges[exchange].replies
        guard index < replies.count else { return false }
        payloads.withUnsafeBytes {
            body(replies[index], UnsafeRawBufferPointer(rebasing: $0[replies[index].payload]).bytes)
        }
        return true
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, _ kind: MessageKind) -> Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
