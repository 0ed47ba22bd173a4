import UserInterface
import WSCore

/// Forwards a program's standard error to ours.
package final class ProgramErrors {
    private var output: ProgramOutput?
    private var lines: ErrorLines
    private let diagnostics: Diagnostics
    private let didEnd: () -> Void
    /// Resumes reading the program's standard error after ours was busy.
    private var timer: Timer?

    /// The maximum number of lines shown per turn of the loop. They take a few hundred microseconds.
    private static let turnLines = 256

    /// Starts reading our end of the pipe.
    /// - Parameters:
    ///   - prefix: The text before each line.
    ///   - didEnd: Called once, at the end of the stream.
    package init(
        _ stream: SystemStream, prefix: String, to diagnostics: Diagnostics, on loop: EventLoop,
        didEnd: @escaping () -> Void
    ) {
        lines = ErrorLines(prefix: prefix)
        self.diagnostics = diagnostics
        self.didEnd = didEnd
        timer = Timer(on: loop) { [unowned self] in continueReading() }
        output = ProgramOutput(stream) { [unowned self] bytes in
            show(bytes)
        } finish: { [unowned self] in
            finish()
        }
    }

    /// Whether the stream has ended.
    package var isOver: Bool { output?.isOver ?? true }

    /// Reads at most `byteCount` more bytes, without pausing.
    package func takeRest(atMost byteCount: Int) {
        output?.takeRest(atMost: byteCount)
    }

    /// Closes the pipe if it has been idle since the last call and has no data pending.
    /// - Returns: Whether the pipe is closed.
    package func closeIfIdle() -> Bool { output?.closeIfIdle() ?? true }

    /// Shows as many lines as one turn allows.
    /// - Returns: The number of bytes consumed.
    private func show(_ bytes: RawSpan) -> Int {
        let (text, takenBytes) = lines.take(bytes, atMost: Self.turnLines)
        if !text.isEmpty { diagnostics.show(text) }
        // Read errors no faster than our standard error accepts them. After the program has exited, read the rest
        // without waiting.
        if diagnostics.isBusy, let output, !output.takesRest {
            output.pause()
            timer?.start(after: Diagnostics.busyInterval)
        }
        return takenBytes
    }

    /// Resumes reading when standard error has room again.
    private func continueReading() {
        if diagnostics.isBusy, let output, !output.takesRest {
            timer?.start(after: Diagnostics.busyInterval)
        } else {
            output?.resume()
        }
    }

    /// Shows the last, incomplete line.
    private func finish() {
        let text = lines.finish()
        if !text.isEmpty { diagnostics.show(text) }
        didEnd()
    }
}

/// Splits a program's standard error into lines for ours.
struct ErrorLines: ~Copyable {
    /// The maximum length of a shown line, in bytes. A longer line is split.
    static let maximumLineBytes = 4 << 10

    private let prefix: String
    private var splitter = RecordSplitter(.lines)

    /// Creates the splitter for one program. `prefix` precedes each line.
    init(prefix: String) {
        self.prefix = prefix
    }

    /// Splits the bytes read and returns the completed lines, each with a newline. Terminal control characters are
    /// escaped.
    /// - Parameter count: The maximum number of lines to take; at least 1.
    /// - Returns: The lines and the number of bytes consumed. The caller passes the remaining bytes again.
    mutating func take(_ bytes: RawSpan, atMost count: Int = .max) -> (lines: String, takenBytes: Int) {
        let prefix = self.prefix
        var lines = ""
        var linesLeft = count
        let takenBytes = splitter.split(bytes) { line in
            Self.append(line, to: &lines, after: prefix)
            linesLeft -= 1
            return linesLeft > 0
        }
        // An unterminated line is shown in pieces instead of buffered.
        if splitter.carriedBytes >= Self.maximumLineBytes { lines += finish() }
        return (lines, takenBytes)
    }

    /// Returns the last, incomplete line at the end of the stream.
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

    /// The length of the longest prefix that fits on a line without splitting a UTF-8 scalar.
    private static func pieceLength(_ line: RawSpan) -> Int {
        guard line.byteCount > maximumLineBytes else { return line.byteCount }
        return line.withUnsafeBytes { bytes in
            // A UTF-8 scalar has at most three continuation bytes.
            let ends = (maximumLineBytes - 3...maximumLineBytes).reversed()
            return ends.first { bytes[$0] & 0xC0 != 0x80 } ?? maximumLineBytes
        }
    }
}
