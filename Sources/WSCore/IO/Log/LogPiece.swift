import Glibc

/// Splits lines into pieces for system calls, so lines of several programs on one pipe stay intact.
internal enum LogPiece {
    /// The largest write that a pipe accepts atomically, in bytes.
    static let atomicBytes = Int(PIPE_BUF)

    /// The next piece to write: as many lines as fit into one atomic write, or one longer line.
    static func first(of lines: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard lines.count > atomicBytes else { return lines }
        guard let end = lines[..<atomicBytes].lastIndex(of: newline) else { return line(of: lines) }
        return UnsafeRawBufferPointer(rebasing: lines[...end])
    }

    /// The first line, including its newline.
    static func line(of lines: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let end = lines.firstIndex(of: newline) else { return lines }
        return UnsafeRawBufferPointer(rebasing: lines[...end])
    }

    /// The lines before the first line longer than `limit` bytes, including its newline.
    static func lines(of lines: UnsafeRawBufferPointer, noneLongerThan limit: Int) -> UnsafeRawBufferPointer {
        guard lines.count > limit else { return lines }
        var rest = lines
        while !rest.isEmpty {
            let line = line(of: rest)
            guard line.count <= limit else { break }
            rest = UnsafeRawBufferPointer(rebasing: rest[line.count...])
        }
        return UnsafeRawBufferPointer(rebasing: lines[..<(lines.count - rest.count)])
    }

    /// The number of lines.
    static func lineCount(of lines: UnsafeRawBufferPointer) -> Int {
        lines.count { $0 == newline }
    }

    private static let newline = UInt8(ascii: "\n")
}
