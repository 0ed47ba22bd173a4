import WSCore

/// How far the replay of a conversation with one client has come.
///
/// A message is answered as its equal was in the recording: the next equal one, or else an earlier one that was passed
/// over. One that has no equal left is answered as the next message was, whatever that was. Each is used once.
final class ReplayProgress {
    /// What is replayed.
    let conversation: ReplayConversation
    /// The next exchange in order; the first of all needs no message.
    private var place = 1
    /// The exchanges before ``place`` that have not been used, in order.
    private var passedOver: [Int] = []

    /// Begins a conversation.
    init(through conversation: ReplayConversation) {
        self.conversation = conversation
    }

    /// The exchange that a message of the client stands for; nil: all have been used.
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
