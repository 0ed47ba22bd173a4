/// A JSON event of the input.
struct InputEvent: Equatable {
    /// What kind of event it is.
    enum Kind: Equatable {
        /// Something that can be sent; a payload is beside it.
        case item(InputItem)
        /// The head of a recording.
        case recording
        /// A connection has been opened: nothing is asked for.
        case open
        /// Something else that tells and asks for nothing: `listening`, `error`.
        case report
    }

    let kind: Kind
    /// nil: the event does not say.
    let direction: EventDirection?
    /// The client that it is for; nil: all.
    let client: Int?
    /// When it was, since the beginning of 1970, UTC; nil: the event does not say, or nobody asked.
    let time: Duration?
}
