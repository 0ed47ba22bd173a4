import WSCore

/// Whether a message that is typed can be sent.
enum PromptLink: Equatable {
    /// A connection is open.
    case open
    /// A connection is being opened or waited for, and perhaps messages are kept for it.
    case pending(keepsMessages: Bool)
    /// There is no connection and none is coming.
    case none
}

/// The connection as the prompt sees it. Unit tests have their own.
protocol PromptConnection: AnyObject {
    var link: PromptLink { get }
    /// Whether sending must pause.
    var isFull: Bool { get }
    /// The number of bytes that wait to be sent.
    var queuedBytes: Int { get }
    /// The progress of a message that is arriving; nil between messages.
    var incomingProgress: MessageProgress? { get }
    /// The lines of the latest opening handshake.
    var heads: [(line: String, direction: Transcript.Direction)] { get }
    /// The facts of the connection, each with its name; a value may have several lines.
    var facts: [(name: String, value: String)] { get }

    /// Sends a message that was typed, or keeps it for the next connection.
    func sendTyped(_ payload: RawSpan, as kind: MessageKind)
    /// Sends a ping or a pong; returns whether there was a connection that took it.
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool
    /// Begins the closing handshake, unless it has begun.
    func close(with frame: CloseFrame)
    /// Gives up the wait for a connection.
    func stopConnecting()
    /// Connects anew; with settings, to another server.
    func reconnect(with settings: ConnectSettings?)
    /// Closes the connection and ends the run.
    func endAsAsked()
    /// Goes on after an output did not keep up.
    func outputDidDrain()
}
