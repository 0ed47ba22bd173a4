import Formats
import Peer
import UserInterface
import WSCore

/// Whether a typed message can be sent.
enum PromptLink: Equatable {
    /// A connection is open.
    case open
    /// A connection is being opened or retried. Messages may be kept for it.
    case pending(keepsMessages: Bool)
    /// There is no connection, and none is being opened.
    case none
}

/// The connection as the prompt sees it. Unit tests provide their own.
protocol PromptConnection: AnyObject {
    var link: PromptLink { get }
    /// Whether sending should pause.
    var isFull: Bool { get }
    /// The number of bytes that the peer has not acknowledged.
    var unsentBytes: Int { get }
    /// The progress of a partially received message, or `nil` between messages.
    var incomingProgress: MessageProgress? { get }
    /// The lines of the latest opening handshake.
    var heads: [(line: String, direction: Transcript.Direction)] { get }
    /// The connection as a curl command. Throws ``Failure/badArgument(what:why:)`` if there is none.
    func curlCommand(showsSecrets: Bool) throws(Failure) -> CurlText
    /// The facts about the connection, each with its name. A value may have several lines.
    var facts: [(name: String, value: String)] { get }

    /// The step and the elapsed time of the current connection attempt, or `nil` if there is none.
    var attemptWords: String? { get }
    /// The facts about the connection for the status line.
    var statusFacts: StatusLine.Facts { get }

    /// Sends a typed message, or keeps it for the next connection.
    func sendTyped(_ payload: RawSpan, as kind: MessageKind)
    /// Writes a saved message, to be sent as a typed line.
    func text(of call: MessageCall) throws(TemplateProblem) -> [UInt8]
    /// Keeps a value of messages that arrive from now on for typed lines, or returns why that is not possible.
    func set(_ variable: SetVariableValue) -> String?
    /// The codecs of received messages, the outermost first.
    var decoders: [Codec] { get }
    /// Decodes messages that arrive from now on with other codecs.
    /// - Returns: Whether no codec is a program, which starts and ends with the run.
    func decode(with codecs: [Codec]) -> Bool
    /// Sends a ping or a pong. Returns whether it was sent.
    func send(control opcode: Opcode, _ payload: RawSpan) -> Bool
    /// Starts the closing handshake, unless it has already started.
    func close(with frame: CloseFrame)
    /// Stops trying to connect.
    func stopConnecting()
    /// Reconnects; with settings, to another server.
    func reconnect(with settings: ConnectSettings?)
    /// The number of messages that were given up, because connections keep ending before the peer confirms them.
    var givenUpCount: Int { get }
    /// Sends these messages again.
    func retryGivenUp()
    /// Discards these messages.
    func dropGivenUp()
    /// Closes the connection and ends the run.
    func endAsAsked()
    /// Resumes after an output has written its backlog.
    func outputDidDrain()
}
