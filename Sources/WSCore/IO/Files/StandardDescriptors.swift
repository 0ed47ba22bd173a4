#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The three descriptors that every process begins with, or should.
public enum StandardDescriptors {
    /// Standard input, output and error.
    public static let input: Int32 = 0
    /// Standard output.
    public static let output: Int32 = 1
    /// Standard error.
    public static let error: Int32 = 2

    /// The modes of the open files behind the descriptors, as they were found; set once, before anything else runs.
    nonisolated(unsafe) private static var foundModes: [Int32] = []

    /// Prepares the standard descriptors; called once, before any other descriptor is opened.
    ///
    /// A closed descriptor becomes `/dev/null`, so that no socket takes its number. Standard output is opened for reading
    /// only, so writing to it fails with ``IOError/badDescriptor`` as it would have when closed. Writing to a pipe without
    /// a reader, or to a file that may not grow, returns an error and does not end the process.
    public static func prepare() {
        for descriptor in input...error where fcntl(descriptor, F_GETFD) < 0 {
            let opened = open("/dev/null", descriptor == error ? O_WRONLY : O_RDONLY)
            if opened >= 0, opened != descriptor {
                _ = dup2(opened, descriptor)
                _ = close(opened)
            }
        }
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        foundModes = (input...error).map { fcntl($0, F_GETFL) }
    }

    /// Has the programs that are started from now on inherit none of the other descriptors that are open: who started this
    /// process may have left some to it that are nobody else's.
    public static func keepOthersFromPrograms() {
        for descriptor in openDescriptors() where descriptor > error {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Those that the system lists, or, where it does not, all that there could be.
    private static func openDescriptors() -> [Int32] {
        guard let directory = opendir("/dev/fd") else { return Array(0..<Int32(clamping: DescriptorLimit.raise())) }
        defer { closedir(directory) }
        var descriptors: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// Gives the open files behind the descriptors the modes in which they were found: a socket, which cannot be opened
    /// a second time, shares its non-blocking mode with whoever gave it to us.
    public static func restore() {
        for (descriptor, mode) in zip(input...error, foundModes)
        where mode >= 0 && fcntl(descriptor, F_GETFL) != mode {
            _ = fcntl(descriptor, F_SETFL, mode)
        }
    }

    /// Whether a descriptor is a terminal.
    public static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Whether the other end of a terminal or pipe has gone away.
    public static func hasHungUp(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&waiting, 1, 0) == 1 && waiting.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// The size of a terminal's window in characters; nil: the descriptor is none, or the size is not known.
    public static func windowSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes text to a descriptor and waits until it is out; returns why it could not be written, if it could not.
    @discardableResult
    public static func writeAll(_ text: String, to descriptor: Int32) -> IOError? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
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
