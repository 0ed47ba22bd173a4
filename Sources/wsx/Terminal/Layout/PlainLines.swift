import WSCore

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
