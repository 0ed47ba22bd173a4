#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How lines are divided for system calls, so that those of several programs that write to one pipe stay whole.
internal enum LogPiece {
    /// What a pipe takes as a whole or not at all, in bytes.
    static let atomicBytes = Int(PIPE_BUF)

    /// What to write next: as many lines as a pipe takes as a whole, or one that is longer.
    static func first(of lines: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard lines.count > atomicBytes else { return lines }
        guard let end = lines[..<atomicBytes].lastIndex(of: newline) else { return line(of: lines) }
        return UnsafeRawBufferPointer(rebasing: lines[...end])
    }

    /// The first line, with its newline.
    static func line(of lines: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let end = lines.firstIndex(of: newline) else { return lines }
        return UnsafeRawBufferPointer(rebasing: lines[...end])
    }

    /// The lines before the first that has more than `limit` bytes, its newline included.
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

    /// How many lines there are.
    static func lineCount(of lines: UnsafeRawBufferPointer) -> Int {
        lines.count { $0 == newline }
    }

    private static let newline = UInt8(ascii: "\n")
}
