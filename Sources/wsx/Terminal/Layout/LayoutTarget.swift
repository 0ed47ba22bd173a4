/// Receives formatted lines piece by piece.
protocol LayoutTarget: ~Copyable {
    /// Whether the target accepts no more text.
    var isFull: Bool { get }
    /// Adds text to the line. The bytes are mostly valid UTF-8 and contain no line feed.
    mutating func append(_ bytes: RawSpan, as style: Palette.Style?)
    /// Ends the line and indents the next.
    mutating func beginLine(indentedBy spaces: Int)
}

extension LayoutTarget where Self: ~Copyable {
    /// Adds punctuation.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0).bytes, as: nil) }
    }
}
