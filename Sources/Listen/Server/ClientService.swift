import Conversation
import UserInterface
import WSCore

/// What a mode of `wsx listen` does for one client.
protocol ClientService: AnyObject {
    /// Begins, before anything is received.
    func begin(with client: Connection<ListenClient>)
    /// Whether messages are passed as `--decode` decodes them, rather than as received.
    var takesDecoded: Bool { get }
    /// Handles a message, which has been shown.
    /// - Parameter kind: The kind of the message as received, before it was decoded.
    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>)
    /// Handles a ping or a pong.
    func received(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>)
    /// Handles a close frame.
    func received(close frame: CloseFrame)
    /// There is room again in the client's send queue, or in its gate.
    func clientDidDrain()
    /// The server's close frame has been queued: nothing can follow it.
    func didClose()
    /// Closes the client after what the service has yet to send. Returns `false` if that is nothing.
    func closeAfterPending() -> Bool
    /// Whether the service has stopped reading the client's messages.
    var isStuck: Bool { get }
    /// Handles the end of the connection.
    func ended(_ end: ConnectionEnd)
    /// Handles the end of the connection after it has been reported.
    /// - Parameter failure: What the end counts as, or `nil` if it is no failure.
    func ended(_ end: ConnectionEnd, reportedAs failure: Failure?)
}

extension ClientService {
    var takesDecoded: Bool { false }
    func begin(with client: Connection<ListenClient>) {}
    func received(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>) {}
    func received(close frame: CloseFrame) {}
    func clientDidDrain() {}
    func didClose() {}
    func closeAfterPending() -> Bool { false }
    var isStuck: Bool { false }
    func ended(_ end: ConnectionEnd) {}
    func ended(_ end: ConnectionEnd, reportedAs failure: Failure?) {}
}

extension ReplayFeed: ClientService {
    func begin(with client: Connection<ListenClient>) { open() }

    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        answer(payload, as: kind)
    }

    func clientDidDrain() { sendReplies() }
    func didClose() { cancel() }
    func ended(_ end: ConnectionEnd) { cancel() }
}

extension ProgramSession: ClientService {
    var takesDecoded: Bool { true }
    func received(close frame: CloseFrame) { clientIsLeaving() }
    func didClose() { clientIsLeaving() }
}

extension Upstream: ClientService {
    func begin(with client: Connection<ListenClient>) { start(for: client) }

    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        receive(payload, as: kind, from: client)
    }

    func received(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>) {
        receive(control: opcode, payload, from: client)
    }

    func received(close frame: CloseFrame) { receive(close: frame) }
    func ended(_ end: ConnectionEnd) { clientLeft() }
}
