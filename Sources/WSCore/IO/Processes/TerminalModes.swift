#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A snapshot of a terminal's modes, to restore them after another program has used the terminal.
public struct TerminalModes {
    private let descriptor: Int32
    private var modes = termios()

    /// Reads a terminal's modes. Returns `nil` if the descriptor is not a terminal.
    public init?(of descriptor: Int32) {
        self.descriptor = descriptor
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
    }

    /// Restores the modes after all output has been written.
    public func restore() {
        var modes = modes
        while tcsetattr(descriptor, TCSADRAIN, &modes) != 0, errno == EINTR {}
    }
}
