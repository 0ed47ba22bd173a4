import WSCore

/// What a program writes to standard error, on its way to ours.
final class ProgramErrors {
    private var output: ProgramOutput?
    private var lines: ErrorLines
    private let console: Console
    private let didEnd: () -> Void
    /// Has the program's standard error read on, after it had to wait for ours.
    private var timer: Timer?

    /// So many lines are shown in one turn of the loop: a few hundred microseconds' worth, and then others have their turn.
    private static let turnLines = 256

    /// Begins to read our end of the pipe.
    /// - Parameters:
    ///   - prefix: What stands before each line.
    ///   - didEnd: Called once, at the end.
    init(
        _ stream: SystemStream, prefix: String, to console: Console, on loop: EventLoop, didEnd: @escaping () -> Void
    ) {
        lines = ErrorLines(prefix: prefix)
        self.console = console
        self.didEnd = didEnd
        timer = Timer(on: loop) { [unowned self] in readOn() }
        output = ProgramOutput(stream) { [unowned self] bytes in
            show(bytes)
        } finish: { [unowned self] in
            finish()
        }
    }

    /// Whether there is no more.
    var isOver: Bool { output?.isOver ?? true }

    /// Takes no more than `byteCount` bytes from now on, and takes them without a pause.
    func takeRest(atMost byteCount: Int) {
        output?.takeRest(atMost: byteCount)
    }

    /// Closes the pipe unless something has come from it since this was last called, or is still to be handed on.
    /// - Returns: Whether it is closed.
    func closeIfIdle() -> Bool { output?.closeIfIdle() ?? true }

    /// Shows lines, as far as it goes in one turn.
    /// - Returns: The number of bytes that were taken.
    private func show(_ bytes: RawSpan) -> Int {
        let (text, takenBytes) = lines.take(bytes, atMost: Self.turnLines)
        if !text.isEmpty { console.show(text) }
        // What the program complains of is read as fast as standard error is; at its end it waits for nobody.
        if console.isBusy, let output, !output.takesRest {
            output.pause()
            timer?.start(after: Console.busyInterval)
        }
        return takenBytes
    }

    /// Reads on when standard error has room again.
    private func readOn() {
        if console.isBusy, let output, !output.takesRest {
            timer?.start(after: Console.busyInterval)
        } else {
            output?.resume()
        }
    }

    /// Shows the last line.
    private func finish() {
        let text = lines.finish()
        if !text.isEmpty { console.show(text) }
        didEnd()
    }
}

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
