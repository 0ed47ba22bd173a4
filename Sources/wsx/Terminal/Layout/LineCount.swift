/// Counts the lines of a layout.
struct LineCount: LayoutTarget {
    /// The number of lines so far, starting at 1.
    private(set) var lines = 1

    let isFull = false

    mutating func append(_ bytes: RawSpan, as style: Palette.Style?) {}

    mutating func beginLine(indentedBy spaces: Int) {
        lines += 1
    }
}
