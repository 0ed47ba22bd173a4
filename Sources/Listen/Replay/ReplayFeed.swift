import Peer
import WSCore

/// The run that a replay sends through.
protocol ReplayHost: AnyObject {
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// Whether a client is connected and neither its send queue nor its gate is full.
    func hasRoom(for client: Int) -> Bool
    /// Sends an item to a client after a pause.
    func send(_ item: InputItem, _ payload: RawSpan, after pause: Duration, to client: Int)
    /// Closes a client after everything that has been queued for it.
    func closeAfterReplay(_ client: Int)
    /// Stops reading from a client while replies are pending.
    func pauseForReplay(_ client: Int)
    /// Resumes reading when all replies have been sent.
    func resumeAfterReplay(_ client: Int)
}

/// Sends recorded replies to one client as fast as it accepts them. Meanwhile, nothing is read from the client.
final class ReplayFeed {
    private unowned let host: any ReplayHost
    private let loop: EventLoop
    private let client: Int
    private let progress: ReplayProgress
    /// The exchange being replayed and the index of its next reply, or `nil` if no exchange is in progress.
    private var place: (exchange: Int, reply: Int)?
    /// When the exchange began.
    private var beginTime = Duration.zero
    /// Whether to close the client after the last reply.
    private var isToClose = false

    /// Creates the feed of a newly accepted client.
    init(_ conversation: ReplayConversation, client: Int, of host: any ReplayHost) {
        self.host = host
        loop = host.loop
        self.client = client
        progress = ReplayProgress(through: conversation)
    }

    /// Whether replies are pending. The client's next message is read only after them.
    var isBusy: Bool { place != nil }

    /// Sends what the recorded server sent before any client message.
    func open() {
        begin(0)
        host.pauseForReplay(client)
        // The response to the client's request is sent first.
        loop.atEndOfTurn(self)
    }

    /// Answers a message.
    func answer(_ payload: RawSpan, as kind: MessageKind) {
        guard let exchange = progress.next(for: payload, as: kind) else { return }
        begin(exchange)
        sendReplies()
        if isBusy { host.pauseForReplay(client) }
    }

    /// Closes the client after the last reply. Returns `false` if no reply is pending.
    func closeAfterPending() -> Bool {
        isToClose = isBusy
        return isBusy
    }

    /// Sends replies while there is room.
    func sendReplies() {
        while isBusy, host.hasRoom(for: client) {
            guard !sendNext() else { continue }
            if isToClose { host.closeAfterReplay(client) }
            host.resumeAfterReplay(client)
        }
    }

    /// Discards the pending replies because the connection has ended or is closing.
    func cancel() {
        place = nil
    }

    private func begin(_ exchange: Int) {
        place = (exchange, 0)
        beginTime = loop.now
    }

    /// Sends the next reply. Returns whether there was one.
    private func sendNext() -> Bool {
        guard let (exchange, index) = place else { return false }
        place?.reply += 1
        let isThere = progress.conversation.withReply(index, of: exchange) { reply, payload in
            host.send(reply.item, payload, after: wait(for: reply), to: client)
        }
        if !isThere { place = nil }
        return isThere
    }

    /// The remaining delay of a reply, which restores its recorded distance from the request.
    private func wait(for reply: ReplayConversation.Reply) -> Duration {
        reply.pause == .zero ? .zero : max(.zero, beginTime + reply.pause - loop.now)
    }
}

extension ReplayFeed: EndOfTurnWork {
    /// Begins.
    func endTurn() {
        sendReplies()
    }
}

/// The progress of a conversation with one client.
///
/// A message gets the replies to the same message in the recording: the next occurrence, or otherwise an earlier
/// occurrence that was skipped. A message without an unused occurrence gets the replies to the next recorded message,
/// whatever that was. Each exchange is used once.
final class ReplayProgress {
    /// The conversation to replay.
    let conversation: ReplayConversation
    /// The index of the next exchange. Exchange 0 needs no message.
    private var place = 1
    /// The unused exchanges before ``place``, in order.
    private var passedOver: [Int] = []

    /// Starts a conversation.
    init(through conversation: ReplayConversation) {
        self.conversation = conversation
    }

    /// The exchange that answers a client's message, or `nil` if all have been used.
    func next(for payload: RawSpan, as kind: MessageKind) -> Int? {
        let equals = conversation.exchanges(with: payload, kind)
        if let index = equals.first(where: { $0 >= place }) {
            passedOver += place..<index
            place = index + 1
            return index
        }
        if let position = passedOver.firstIndex(where: equals.contains) { return passedOver.remove(at: position) }
        guard place < conversation.exchanges.count else { return passedOver.isEmpty ? nil : passedOver.removeFirst() }
        defer { place += 1 }
        return place
    }
}
