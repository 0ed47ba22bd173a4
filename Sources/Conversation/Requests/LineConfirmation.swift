/// What confirms a sent line. A confirmed line is not sent again on the next connection.
///
/// A line is confirmed by its reply if it awaits one, else by the acknowledgement of the application protocol if it has
/// one, else by a pong.
package enum LineConfirmation: Equatable, Sendable {
    /// The pong of a later ping.
    case pong
    /// The peer's reply or acknowledgement with this key. A pong does not replace it.
    case acknowledgement(String)
    /// The peer's reply or acknowledgement with this key, or a pong. The peer need not send the former.
    case acknowledgementOrPong(String)
    /// The session of the protocol sends the line on each connection, so nobody else sends it again.
    case renewal

    /// The key of the reply or the acknowledgement, or `nil` if there is none.
    package var key: String? {
        switch self {
        case .acknowledgement(let key), .acknowledgementOrPong(let key): key
        case .pong, .renewal: nil
        }
    }
}
