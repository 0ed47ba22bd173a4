import WSCore

/// A connected client, as the parts of `wsx listen` see it: `Connection<ListenClient>`, or a fake in unit tests.
protocol ServedClient: AnyObject {
    /// The client's number, from 1.
    var number: Int { get }

    /// Whether so much waits to be sent that the source of the output is to pause.
    var isFull: Bool { get }
    /// Whether the closing handshake has begun.
    var isClosing: Bool { get }
    /// The number of bytes that the client has not taken.
    var unsentBytes: Int { get }
    /// Whether messages still reach the client: no close frame has been sent, or waits to be.
    var takesMessages: Bool { get }

    /// Stops reading from the client.
    func pauseReading(for reasons: PauseReasons)
    /// Resumes reading, unless there are other reasons not to.
    func resumeReading(after reasons: PauseReasons)
    /// Leaves the client's pings unanswered from now on.
    func stopAnsweringPings()

    /// Sends a message past the gate. Returns whether it was sent: not after a close frame.
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool
    /// Sends a ping past the gate. Returns whether it was sent.
    func sendPing(_ payload: RawSpan) -> Bool
    /// Sends a pong past the gate. Returns whether it was sent.
    func sendPong(_ payload: RawSpan) -> Bool
    /// Begins the closing handshake. Returns whether it had not begun before.
    func close(_ frame: CloseFrame) -> Bool
    /// Discards what waits for the client, whose close frame is on its way.
    func didClose()

    /// Whether so much waits in the client's gate that the source is to pause.
    var hasFullGate: Bool { get }
    /// Whether something may be sent at once. If not, the gate sends it when it is due, or drops it.
    /// - Parameter pause: How long it is to wait besides.
    func letsThrough(_ item: InputItem, _ payload: RawSpan, after pause: Duration) -> Bool
    /// Goes on with what had to wait for room in the gate.
    func gateDidDrain()
}

extension ServedClient {
    /// Whether something may be sent at once. If not, the gate sends it when it is due, or drops it.
    func letsThrough(_ item: InputItem, _ payload: RawSpan) -> Bool { letsThrough(item, payload, after: .zero) }
}

/// The connected clients by their numbers, and the way to all of them: a `Server`, or a fake in unit tests.
protocol ClientDirectory: AnyObject {
    associatedtype ConnectedClient: ServedClient
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// The clients by their numbers.
    var connections: [Int: ConnectedClient] { get }
    /// Sends a message to every client but one, encoded once for all of them.
    /// - Returns: Whether the queue of one of them is full.
    @discardableResult
    func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: ConnectedClient?) -> Bool
}

/// Pauses and resumes the sources of messages: the clients by their numbers, and the input, which is nil.
protocol SenderControl: AnyObject {
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// Pauses a client or the input.
    func pauseSender(_ sender: Int?, for reason: PauseReasons)
    /// Resumes it, unless there are other reasons not to.
    func resumeSender(_ sender: Int?, after reason: PauseReasons)
    /// Pauses all clients.
    func pauseClients(for reason: PauseReasons)
    /// Resumes them, each unless there are other reasons not to.
    func resumeClients(after reason: PauseReasons)
}

extension PauseReasons {
    /// A client to whom its messages go, among others, does not keep up.
    static let slowReader = PauseReasons(rawValue: 2)
    /// What answers its messages waits for its time.
    static let gate = PauseReasons(rawValue: 4)
    /// Its program does not keep up.
    static let program = PauseReasons(rawValue: 8)
    /// Its messages have had their share of the turn.
    static let turn = PauseReasons(rawValue: 16)
    /// What the server of a recording said to it is still on its way.
    static let replay = PauseReasons(rawValue: 32)
    /// Its messages have filled an output that others are waiting for.
    static let outputTurn = PauseReasons(rawValue: 64)
}
