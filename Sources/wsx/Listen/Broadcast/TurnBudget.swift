import WSCore

/// What the messages of one sender may take of a turn of the loop, where they take long: a read full of small ones for
/// thousands of clients, of frames that are all shown, or of what inflates greatly would keep everybody else waiting.
///
///      client, input ── message, message, … ──► all clients      until its budget is spent
///      client, input ── (paused)                                 until the next turn
final class TurnBudget {
    private unowned let host: any SenderControl
    private let loop: EventLoop
    /// The client whose messages are being handed on; nil: the input's are.
    private var sender: Int?
    private var turn: UInt64 = 0
    /// What is left of its budget.
    private var leftBytes = turnBytes
    private var pausedSenders: [Int] = []
    /// Whether the input has to wait.
    private(set) var holdsInput = false

    /// What one sender's messages may come to in a turn, in bytes: about two milliseconds of one core where they are copied,
    /// and some thirty where they inflate.
    static let turnBytes = 16 << 20
    /// What a message costs beside its own bytes, once and for each client: it takes as long as copying so many.
    static let bytesPerMessage = 4 << 10
    static let bytesPerClient = 256
    /// What showing a frame costs (`-vv`).
    static let bytesPerShownFrame = 256 << 10

    /// Makes the budget of a run.
    init(of host: any SenderControl) {
        self.host = host
        loop = host.loop
    }

    /// Counts a message that has been handed to all clients, and has its sender wait for the next turn when that is enough
    /// for this one.
    /// - Parameters:
    ///   - byteCount: How large it is.
    ///   - clientCount: How many clients there are.
    ///   - sender: The client that it is from; nil: it is the input's.
    func spend(_ byteCount: Int, for clientCount: Int, from sender: Int?) {
        spend(Self.bytesPerMessage + (byteCount + Self.bytesPerClient) * clientCount, from: sender)
    }

    /// Counts what has taken as long as copying so many bytes.
    func spend(_ byteCount: Int, from sender: Int?) {
        if sender != self.sender || turn != loop.turnCount {
            self.sender = sender
            turn = loop.turnCount
            leftBytes = Self.turnBytes
        }
        leftBytes -= byteCount
        if leftBytes <= 0 { pause(sender) }
    }

    private func pause(_ sender: Int?) {
        leftBytes = Self.turnBytes
        if pausedSenders.isEmpty, !holdsInput { loop.atEndOfNextTurn(self) }
        host.pauseSender(sender, for: .turn)
        if let sender { pausedSenders.append(sender) } else { holdsInput = true }
    }
}

extension TurnBudget: EndOfTurnWork {
    /// Goes on with those that had to wait.
    func endTurn() {
        let senders = pausedSenders
        pausedSenders.removeAll()
        for sender in senders { host.resumeSender(sender, after: .turn) }
        guard holdsInput else { return }
        holdsInput = false
        host.resumeSender(nil, after: .turn)
    }
}
