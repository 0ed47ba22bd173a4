import WSCore

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
