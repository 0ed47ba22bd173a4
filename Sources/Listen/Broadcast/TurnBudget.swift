import WSCore

/// Limits the work that one sender's messages cause in a turn of the loop.
///
/// Without a limit, some reads would block all other connections: a buffer full of small messages for thousands of
/// clients, frames that are all shown, or data that inflates to a multiple of its size.
///
///      client, input ── message, message, … ──► all clients      until its budget is spent
///      client, input ── (paused)                                 until the next turn
final class TurnBudget {
    private unowned let host: any SenderControl
    private let loop: EventLoop
    /// The client that sent the current message, or `nil` for the input.
    private var sender: Int?
    private var turn: UInt64 = 0
    /// The rest of the sender's budget, in bytes.
    private var leftBytes = turnBytes
    private var pausedSenders: [Int] = []
    /// Whether the input has to wait for the next turn.
    private(set) var holdsInput = false

    /// The budget of one sender per turn, in bytes: about 2 ms of one core for data that is copied, and about 30 ms for
    /// data that is inflated.
    static let turnBytes = 16 << 20
    /// Fixed costs per message and per recipient, as the number of bytes that could be copied in the same time.
    static let bytesPerMessage = 4 << 10
    static let bytesPerClient = 256
    /// The cost of showing a frame (`-vv`).
    static let bytesPerShownFrame = 256 << 10

    /// Creates the budget for a run.
    init(of host: any SenderControl) {
        self.host = host
        loop = host.loop
    }

    /// Charges a message sent to all clients, and pauses its sender until the next turn when the budget is spent.
    /// - Parameters:
    ///   - byteCount: The size of the message.
    ///   - clientCount: The number of clients.
    ///   - sender: The client that sent the message, or `nil` for the input.
    func spend(_ byteCount: Int, for clientCount: Int, from sender: Int?) {
        spend(Self.bytesPerMessage + (byteCount + Self.bytesPerClient) * clientCount, from: sender)
    }

    /// Charges work that takes as long as copying `byteCount` bytes.
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
    /// Resumes the senders that had to wait.
    func endTurn() {
        let senders = pausedSenders
        pausedSenders.removeAll()
        for sender in senders { host.resumeSender(sender, after: .turn) }
        guard holdsInput else { return }
        holdsInput = false
        host.resumeSender(nil, after: .turn)
    }
}
