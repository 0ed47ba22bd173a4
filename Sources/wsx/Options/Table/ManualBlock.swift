/// A piece of a section of the manual.
enum ManualBlock: Sendable {
    case paragraph(MarkedText)
    /// Terms, each with what it means.
    case definitions([(term: MarkedText, text: MarkedText)])
    /// Lines set as they stand.
    case listing([String])
    /// Columns under a heading each; a row has a text for each column.
    case table(headings: [String], rows: [[String]])
}
