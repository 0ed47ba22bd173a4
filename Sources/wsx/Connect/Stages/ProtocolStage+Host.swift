import Conversation
import Formats
import WSCore

extension ProtocolStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Whether messages may have arrived without being read.
        var isReadingPaused: Bool { get }
        /// Whether the closing handshake has begun, after which nothing is sent.
        var isClosing: Bool { get }
        /// Sends a message of the protocol, outside of the handler of the connection.
        func transmit(_ payload: RawSpan, as kind: MessageKind)
        /// Passes on events that no received message caused, outside of the handler of the connection.
        func passOn(_ arrivals: [Arrival])
        /// Called at the end of the turn in which the server has confirmed the login or a subscription.
        func peerBecameReady()
        /// Called if an input line that has waited has been sent.
        func sent(waitingLine line: UnconfirmedLines.Line, confirmedBy confirmation: LineConfirmation)
        /// Called if the session has begun something again that a line on an earlier connection asked for, such as the
        /// subscription to a topic.
        func renewed(_ topic: String)
        /// Called if the server has confirmed the line with this key.
        func lineConfirmed(by key: String)
        /// Called if an input line that has waited is invalid.
        func waitingLineFailed(_ error: ProtocolInputError)
        /// Called at the end of the turn in which the connection has become useless.
        func applicationFailed(_ failure: Failure)
    }

    /// Something to pass on.
    enum Arrival: Equatable {
        case event(ProtocolEvent)
        /// The received message is passed on unchanged, because it is not understood for this reason, or because there is
        /// no protocol yet.
        case unchanged(reason: String?)
        /// This many lines that waited for a subscription will not be sent.
        case droppedLines(Int)
    }

    /// What happens to a line that the stage has taken.
    enum Delivery {
        case sent(confirmedBy: LineConfirmation)
        /// The stage keeps it until the server has confirmed the login or a subscription.
        case waiting
        /// Sent, and the session repeats it on each connection.
        case renewed
    }
}
