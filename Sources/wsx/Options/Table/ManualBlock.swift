/// A piece of a section of the manual.
enum ManualBlock: Sendable {
    case paragraph(MarkedText)
    /// Terms, each with what it means.
    case definitions([(term: MarkedText, text: MarkedText)])
    /// Lines set as they stand.
    case listing([String])
    /// Two columns under a heading each.
    case table(heading: (String, String), rows: [(String, String)])
}
