import Conversation

/// What the user, a rule, or a relay has done to a message.
package enum MessageMark: Equatable {
    /// It forwards the message, which was recorded and shown when it arrived.
    case forwarded
    /// The user has typed it.
    case injected
    /// Rules have changed it, or dropped it or some of its records.
    case edited(MessageEdit)

    /// What was done to a whole message, or `nil` for nothing.
    package init?(_ edit: MessageEdit?) {
        guard let edit else { return nil }
        self = .edited(edit)
    }

    /// What was done to a record of it.
    package init?(_ edit: MessageEdit?, record: Int) {
        guard let edit else { return nil }
        if edit.isEdited {
            self = .edited(.edited)
        } else if edit.isDropped || edit.droppedRecords.contains(record) {
            self = .edited(.dropped)
        } else if edit.rewrittenRecords.contains(record) {
            self = .edited(.rewritten)
        } else {
            return nil
        }
    }
}
