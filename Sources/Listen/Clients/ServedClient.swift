import Peer
import WSCore

/// A connected client as seen by the parts of `wsx listen`: `Connection<ListenClient>`, or a fake in unit tests.
protocol ServedClient: GatedConnection {
    /// The client's number; the first client is 1.
    var number: Int { get }

    /// The path of the client's request in normalized form, without the query; empty if it has none.
    var path: String { get }

    /// Whether the closing handshake has started.
    var isClosing: Bool { get }
    /// Whether the client has sent a close frame.
    var hasReceivedClose: Bool { get }
    /// The number of bytes the client has not accepted yet.
    var unsentBytes: Int { get }
    /// The number of bytes the client has accepted so far, plus a constant.
    var takenBytes: Int { get }
    /// Whether the client can still receive messages: no close frame has been sent or queued, and no write has failed.
    var takesMessages: Bool { get }
    /// Whether bytes from the client have arrived that have not been processed.
    var hasUnreadBytes: Bool { get }
    /// Why reading from the client is paused.
    var pauseReasons: PauseReasons { get }

    /// Sends a message, bypassing the gate. Returns whether it was sent; nothing is sent after a close frame.
    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool
    /// Sends a ping, bypassing the gate. Returns whether it was sent.
    func sendPing(_ payload: RawSpan) -> Bool
    /// Sends a pong, bypassing the gate. Returns whether it was sent.
    func sendPong(_ payload: RawSpan) -> Bool
    /// Starts the closing handshake. Returns `false` if it had already started.
    func close(_ frame: CloseFrame) -> Bool
    /// Ends the connection without a closing handshake.
    func terminate()
    /// Discards items queued for the client after its close frame has been queued.
    func didClose()

    /// Whether items for the client wait in its gate.
    var waitsForGate: Bool { get }
    /// Whether the client's gate is full, and the source should pause.
    var hasFullGate: Bool { get }
    /// Whether the caller may send an item now. Otherwise the gate sends it when it is due, or drops it.
    /// - Parameters:
    ///   - mark: What a relay has done to a message.
    ///   - pause: An extra delay.
    func letsThrough(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, after pause: Duration) -> Bool
}

extension ServedClient {
    /// Whether the caller may send an item now. Otherwise the gate sends it when it is due, or drops it.
    func letsThrough(_ item: InputItem, _ payload: RawSpan) -> Bool {
        letsThrough(item, payload, nil, after: .zero)
    }
}

/// The connected clients by number, and a broadcast to all of them: a `Server`, or a fake in unit tests.
protocol ClientDirectory: AnyObject {
    associatedtype ConnectedClient: ServedClient
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// The clients by their numbers.
    var connections: NumberedClients<ConnectedClient> { get }
    /// Whether bodies of POST requests wait for clients.
    var hasWaitingPosts: Bool { get }
    /// Tries again to deliver them.
    func retryPosts()
    /// Sends a message to every client except `sender`, encoded once for all of them.
    /// - Parameter path: The path of the clients, or `nil` for those of all paths.
    /// - Returns: Whether any recipient's queue is full.
    @discardableResult
    func send(_ payload: RawSpan, as kind: MessageKind, toAllBut sender: ConnectedClient?, at path: String?) -> Bool
}

/// Pauses and resumes the sources of messages: clients by number, and the input as `nil`.
protocol SenderControl: AnyObject {
    /// The loop that everything runs on.
    var loop: EventLoop { get }
    /// Pauses a client or the input.
    func pauseSender(_ sender: Int?, for reason: PauseReasons)
    /// Resumes a client or the input, unless it is paused for another reason.
    func resumeSender(_ sender: Int?, after reason: PauseReasons)
    /// Pauses all clients.
    func pauseClients(for reason: PauseReasons)
    /// Resumes all clients, except those paused for another reason.
    func resumeClients(after reason: PauseReasons)
}

extension PauseReasons {
    /// A recipient of the client's broadcasts is too slow.
    static let slowReader = PauseReasons(rawValue: 2)
    /// The answers to the client's messages wait in its gate.
    static let gate = PauseReasons(rawValue: 4)
    /// The client's program is too slow.
    static let program = PauseReasons(rawValue: 8)
    /// The other side of a relay does not read.
    static let upstream = PauseReasons(rawValue: 256)
    /// The client's messages have used up their share of the turn.
    static let turn = PauseReasons(rawValue: 16)
    /// The replay has not yet sent everything that precedes the next received message.
    static let replay = PauseReasons(rawValue: 32)
    /// The client has filled an output, and other clients have not had their turn yet.
    static let outputTurn = PauseReasons(rawValue: 64)
}
