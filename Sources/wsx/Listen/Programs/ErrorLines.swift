import WSCore

/// Turns what a program writes to standard error into lines for ours.
struct ErrorLines: ~Copyable {
    /// The longest line that is shown as one, in bytes; what is longer goes on in further ones.
    static let maximumLineBytes = 4 << 10

    private let prefix: String
    private var splitter = RecordSplitter(.lines)

    /// Makes the lines of one program; `prefix` stands before each.
    init(prefix: String) {
        self.prefix = prefix
    }

    /// Takes what was read, and returns the lines that it completes, each with a newline. Nothing in them can drive a
    /// terminal.
    /// - Parameter count: No more lines than this are taken at once; 1 or more.
    /// - Returns: The lines, and how many bytes were taken: the rest is to be given again.
    mutating func take(_ bytes: RawSpan, atMost count: Int = .max) -> (lines: String, takenBytes: Int) {
        let prefix = self.prefix
        var lines = ""
        var linesLeft = count
        let takenBytes = splitter.split(bytes) { line in
            Self.append(line, to: &lines, after: prefix)
            linesLeft -= 1
            return linesLeft > 0
        }
        // A line without an end is shown in pieces, and not kept.
        if splitter.carriedBytes >= Self.maximumLineBytes { lines += finish() }
        return (lines, takenBytes)
    }

    /// Takes the end, and returns the line that it completes.
    mutating func finish() -> String {
        let prefix = self.prefix
        var lines = ""
        splitter.finish { Self.append($0, to: &lines, after: prefix) }
        return lines
    }

    private static func append(_ line: RawSpan, to lines: inout String, after prefix: String) {
        var rest = line
        repeat {
            let count = pieceLength(rest)
            let piece = rest.extracting(first: count).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            lines += prefix + escapingControls(piece) + "\n"
            rest = rest.extracting(droppingFirst: count)
        } while rest.byteCount > 0
    }

    /// As much as fits on a line, without the beginning of a scalar whose rest would not.
    private static func pieceLength(_ line: RawSpan) -> Int {
        guard line.byteCount > maximumLineBytes else { return line.byteCount }
        return line.withUnsafeBytes { bytes in
            // A scalar has three bytes at most that continue it.
            let ends = (maximumLineBytes - 3...maximumLineBytes).reversed()
            return ends.first { bytes[$0] & 0xC0 != 0x80 } ?? maximumLineBytes
        }
    }
}
