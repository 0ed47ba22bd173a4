import WSCore

/// What a server said to one client of a recording, and to what.
struct ReplayConversation: Sendable {
    /// Something that the server sent.
    struct Reply: Equatable, Sendable {
        let item: InputItem
        /// Where its payload is among those of the recording.
        let payload: Range<Int>
        /// How long it came after what it answers, at the speed of the replay.
        let pause: Duration
    }

    /// A message of the client, and what the server sent before the next one.
    struct Exchange: Equatable, Sendable {
        /// What distinguishes the message; nil: there is none, the connection has just been opened.
        let request: Request?
        var replies: [Reply] = []
    }

    /// A message of the client.
    struct Request: Equatable, Sendable {
        let kind: MessageKind
        let payload: Range<Int>
    }

    /// All of them in order; the first is what the server said of itself.
    let exchanges: [Exchange]
    /// The payloads of the whole recording.
    private let payloads: [UInt8]
    /// The exchanges that begin with a message, by its hash, in order.
    private let exchangesByHash: [Int: [Int]]

    /// Makes a conversation that can be looked up.
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

    /// The exchanges that begin with this message, in order.
    func exchanges(with payload: RawSpan, _ kind: MessageKind) -> [Int] {
        payload.withUnsafeBytes { bytes in
            let candidates = exchangesByHash[Self.hash(bytes, kind)] ?? []
            // Messages whose hashes are equal by chance are as rare as it gets: then none is known.
            guard let first = candidates.first, let request = exchanges[first].request, request.kind == kind,
                payloads.withUnsafeBytes({ $0[request.payload].elementsEqual(bytes) })
            else { return [] }
            return candidates
        }
    }

    /// Gives `body` a reply of an exchange, with its payload; returns false when there are not so many.
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
