import WSCore

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

/// Collects formatted lines as unmodified bytes, for pipes and files.
struct PlainLines: LayoutTarget, ~Copyable {
    /// The lines so far.
    var bytes = ByteBuffer()
    let palette: Palette

    var isFull: Bool { false }

    /// Creates an empty target.
    init(palette: Palette) {
        self.palette = palette
    }

    mutating func append(_ bytes: RawSpan, as style: Palette.Style?) {
        self.bytes.append(palette.beginning(of: style))
        self.bytes.append(bytes)
        self.bytes.append(palette.end(of: style))
    }

    mutating func beginLine(indentedBy spaces: Int) {
        bytes.append(byte: UInt8(ascii: "\n"))
        for _ in 0..<spaces { bytes.append(byte: UInt8(ascii: " ")) }
    }
}
