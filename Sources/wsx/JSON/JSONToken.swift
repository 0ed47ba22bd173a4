/// A piece of a JSON text (RFC 8259 §2).
struct JSONToken: Equatable {
    /// What a piece is.
    enum Kind {
        case beginObject
        case endObject
        case beginArray
        case endArray
        /// The name of an object's member.
        case key
        case string
        case number
        /// `true`, `false` or `null`.
        case literal
    }

    let kind: Kind
    /// Where it stands in the text, in bytes; a key and a string with their quotes.
    let range: Range<Int>
}
