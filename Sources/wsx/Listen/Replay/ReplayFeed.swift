import WSCore

/// What the replay of a recording needs of the run whose clients it answers.
protocol ReplayHost: AnyObject {
    /// The loop on which everything happens.
    var loop: EventLoop { get }
    /// Whether a client is there and more can be said to it: neither its queue nor what waits for its time is full.
    func hasRoom(for client: Int) -> Bool
    /// Says something to a client after a pause.
    func say(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to client: Int)
    /// Closes a client behind what has been said.
    func closeAfterReplay(_ client: Int)
    /// Reads nothing from a client to which there is more to be said.
    func pauseForReplay(_ client: Int)
    /// Goes on reading when all has been said.
    func resumeAfterReplay(_ client: Int)
}

/// What the server of a recording said, on its way to one client: as much of it at a time as there is room for. Meanwhile
/// the client is not read.
final class ReplayFeed {
    private unowned let host: any ReplayHost
    private let loop: EventLoop
    private let client: Int
    private let progress: ReplayProgress
    /// The exchange whose replies are on their way, and which of them is next; nil: there are none.
    private var place: (exchange: Int, reply: Int)?
    /// When that began.
    private var beginTime = Duration.zero
    /// Whether the client is to be closed behind the last reply.
    private var closesAtEnd = false

    /// What is said at once while a message is received, in bytes: the rest follows at the end of the turn, when it can be
    /// seen how much waits already.
    private static let bytesAtOnce = 1 << 20

    /// Makes the feed of a client that has just been accepted.
    init(_ conversation: ReplayConversation, client: Int, of host: any ReplayHost) {
        self.host = host
        loop = host.loop
        self.client = client
        progress = ReplayProgress(through: conversation)
    }

    /// Whether there is more to be said before the client's next message counts.
    var isBusy: Bool { place != nil }

    /// Says what the server of the recording said of itself.
    func open() {
        begin(0)
        waitForRoom()
    }

    /// Answers a message: gives `send` what is to be said at once, with how long it is to wait.
    func answer(_ payload: RawSpan, as kind: MessageKind, _ send: (InputItem, RawSpan, Duration) -> Void) {
        guard let exchange = progress.next(for: payload, as: kind) else { return }
        begin(exchange)
        var bytesLeft = Self.bytesAtOnce
        while bytesLeft > 0, let byteCount = passNext(send) { bytesLeft -= byteCount }
        waitForRoom()
    }

    /// Closes the client when all has been said.
    func closeAtEnd() {
        closesAtEnd = true
    }

    /// Goes on as long as there is room.
    func goOn() {
        while isBusy, host.hasRoom(for: client) {
            guard passNext({ host.say($0, $1, after: $2, to: client) }) == nil else { continue }
            if closesAtEnd { host.closeAfterReplay(client) }
            host.resumeAfterReplay(client)
        }
    }

    /// Forgets what has not been said: the connection has ended, or is about to.
    func cancel() {
        place = nil
    }

    private func begin(_ exchange: Int) {
        place = (exchange, 0)
        beginTime = loop.now
    }

    private func waitForRoom() {
        guard isBusy else { return }
        host.pauseForReplay(client)
        loop.atEndOfTurn(self)
    }

    /// Gives `send` the next reply, and returns its length in bytes; nil: there is none.
    private func passNext(_ send: (InputItem, RawSpan, Duration) -> Void) -> Int? {
        guard let (exchange, index) = place else { return nil }
        place?.reply += 1
        var byteCount = 0
        let isThere = progress.conversation.withReply(index, of: exchange) { reply, payload in
            byteCount = payload.byteCount
            send(reply.item, payload, wait(for: reply))
        }
        guard isThere else {
            place = nil
            return nil
        }
        return byteCount
    }

    /// How long a reply has to wait still, so that it comes as long after what it answers as it did.
    private func wait(for reply: ReplayConversation.Reply) -> Duration {
        reply.pause == .zero ? .zero : max(.zero, beginTime + reply.pause - loop.now)
    }
}

extension ReplayFeed: EndOfTurnWork {
    /// Goes on when it can be seen how much waits.
    func endTurn() {
        goOn()
    }
}
