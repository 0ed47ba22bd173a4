/// Takes the lines of a layout, piece by piece.
protocol LayoutTarget: ~Copyable {
    /// Whether it takes no more.
    var isFull: Bool { get }
    /// Adds to the line; the bytes are UTF-8, or nearly so, and have no line feed.
    mutating func append(_ bytes: RawSpan, as style: Palette.Style?)
    /// Ends the line, and begins the next with a number of spaces.
    mutating func beginLine(indentedBy spaces: Int)
}

extension LayoutTarget where Self: ~Copyable {
    /// Adds punctuation.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0).bytes, as: nil) }
    }
}
