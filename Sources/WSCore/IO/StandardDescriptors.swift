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

    /// Opens `/dev/null` in place of those that are closed, so that no socket takes their numbers, and has a write
    /// to a pipe without a reader return an error in place of killing the process.
    public static func prepare() {
        for descriptor in input...error where fcntl(descriptor, F_GETFD) < 0 {
            let opened = open("/dev/null", descriptor == input ? O_RDONLY : O_WRONLY)
            if opened >= 0, opened != descriptor {
                _ = dup2(opened, descriptor)
                _ = close(opened)
            }
        }
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Whether a descriptor is a terminal.
    public static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Writes bytes to a descriptor and waits until they are out; errors are of no use to anyone here.
    public static func writeAll(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                do throws(IOError) {
                    let count = try Descriptor.write(descriptor, rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } catch {
                    guard error == .tryAgain else { return }
                    Descriptor.waitUntilWritable(descriptor)
                }
            }
        }
    }
}
