#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The modes of a terminal at a moment, to be had again when another program has had it.
public struct TerminalModes {
    private let descriptor: Int32
    private var modes = termios()

    /// The modes of the terminal behind a descriptor; nil: it is none.
    public init?(of descriptor: Int32) {
        self.descriptor = descriptor
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
    }

    /// Sets them again, once the terminal has shown everything.
    public func restore() {
        var modes = modes
        while tcsetattr(descriptor, TCSADRAIN, &modes) != 0, errno == EINTR {}
    }
}
