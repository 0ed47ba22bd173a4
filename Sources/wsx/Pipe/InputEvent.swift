/// A JSON event of the input.
struct InputEvent: Equatable {
    /// The type of the event.
    enum Kind: Equatable {
        /// An item that can be sent. Its payload is passed separately.
        case item(InputItem)
        /// The header of a recording.
        case recording
        /// A connection was opened. Nothing is sent.
        case open
        /// Another informational event: `listening` or `error`. Nothing is sent.
        case report
    }

    let kind: Kind
    /// The direction, or `nil` if the event has none.
    let direction: EventDirection?
    /// The client to send it to, or `nil` for all clients.
    let client: Int?
    /// The time since 1970-01-01 UTC, or `nil` if it is absent or was not requested.
    let time: Duration?
}
