import CSystem
import Glibc

/// The three standard file descriptors.
package enum StandardDescriptors {
    /// Standard input.
    package static let input: Int32 = 0
    /// Standard output.
    package static let output: Int32 = 1
    /// Standard error.
    package static let error: Int32 = 2

    /// The status flags of the descriptors' open files at startup. Set once, before any other thread starts.
    nonisolated(unsafe) private static var foundModes: [Int32] = []

    /// Prepares the standard descriptors. Call it once, before opening any other descriptor.
    ///
    /// Closed descriptors are opened on `/dev/null`; otherwise, a socket could receive their numbers. Standard output
    /// is opened for reading only: writes to it still fail with ``IOError/badDescriptor``, as with a closed descriptor.
    /// Writing to a pipe without a reader, or beyond the file size limit, returns an error and does not kill the
    /// process.
    package static func prepare() {
        for descriptor in input...error where fcntl(descriptor, F_GETFD) < 0 {
            let opened = open("/dev/null", descriptor == error ? O_WRONLY : O_RDONLY)
            if opened >= 0, opened != descriptor {
                _ = dup2(opened, descriptor)
                _ = close(opened)
            }
        }
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        // If it is ignored, the kernel discards the status of child processes.
        _ = signal(SIGCHLD, SIG_DFL)
        foundModes = (input...error).map { fcntl($0, F_GETFL) }
    }

    /// Restores the status flags that the descriptors' open files had at startup. A socket cannot be reopened, so it
    /// shares its non-blocking mode with the process it was inherited from.
    package static func restore() {
        for (descriptor, mode) in zip(input...error, foundModes)
        where mode >= 0 && fcntl(descriptor, F_GETFL) != mode {
            _ = fcntl(descriptor, F_SETFL, mode)
        }
    }

    /// Whether a descriptor is a pipe.
    package static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Whether the other end of a terminal or pipe is closed.
    package static func hasHungUp(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&waiting, 1, 0) == 1 && waiting.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Whether a descriptor has data that nobody has read.
    package static func hasUnreadBytes(_ descriptor: Int32) -> Bool { wsx_unread_bytes(descriptor) > 0 }

    /// The size of a terminal's window in characters, or `nil` if the descriptor is not a terminal or the size is
    /// unknown.
    package static func windowSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes all of `text` to a descriptor, blocking if necessary. Returns the error if a write fails.
    @discardableResult
    package static func writeAll(_ text: String, to descriptor: Int32) -> IOError? {
        var text = text
        return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0).bytes, to: descriptor) }
    }

    /// Writes all of `bytes` to a descriptor, blocking if necessary. Returns the error if a write fails.
    package static func writeAll(_ bytes: RawSpan, to descriptor: Int32) -> IOError? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                do throws(IOError) {
                    let count = try Descriptor.write(descriptor, rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } catch {
                    guard error == .tryAgain else { return error }
                    Descriptor.waitUntilWritable(descriptor)
                }
            }
            return nil
        }
    }
}
