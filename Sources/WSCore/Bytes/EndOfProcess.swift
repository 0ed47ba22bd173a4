import Glibc

/// Ends the process with an error line and status 1, because the system denies what it cannot continue without.
///
/// It is for failures that nobody can handle, such as a lack of memory: a trap says nothing in a release build. With a
/// literal, it allocates nothing.
package func endProcess(_ problem: String) -> Never {
    writeToStandardError("wsx: ")
    writeToStandardError(problem)
    writeToStandardError("\n")
    _exit(1)
}

/// Ends the process because there is no memory for a buffer or a library.
package func endWithoutMemory() -> Never {
    // One literal: a sum of two needs memory.
    endProcess(
        """
        the system has no memory left for this process; raise its limit, or lower --max-memory, --max-message-size, or \
        --connections
        """)
}

private func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Allocates memory that `deallocate()` frees: the standard library uses the C library for alignments up to 16.
/// - Returns: nil if there is no memory.
internal func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }
