import Glibc

/// A snapshot of a terminal's modes, to restore them after another program has used the terminal.
package struct TerminalModes {
    private let descriptor: Int32
    private var modes = termios()

    /// Reads a terminal's modes. Returns `nil` if the descriptor is not a terminal.
    package init?(of descriptor: Int32) {
        self.descriptor = descriptor
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
    }

    /// Stops showing what the user types, until ``restore()``. The input itself is kept for the next reader.
    ///
    /// Changes nothing while the process is in the background, where the system would stop it.
    fileprivate func hideInput() {
        guard ControllingTerminal.mayUse(descriptor) else { return }
        var modes = modes
        modes.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        while tcsetattr(descriptor, TCSADRAIN, &modes) != 0, errno == EINTR {}
    }

    /// Restores the modes after all output has been written, unless another program has the terminal now.
    package func restore() {
        guard ControllingTerminal.mayUse(descriptor) else { return }
        var modes = modes
        while tcsetattr(descriptor, TCSADRAIN, &modes) != 0, errno == EINTR {}
    }
}

/// Hides what the user types at a terminal, as long as this value exists.
package final class HiddenInput {
    private let modes: TerminalModes

    /// Hides the input. Returns `nil` if the descriptor is not a terminal.
    package init?(at descriptor: Int32) {
        guard let modes = TerminalModes(of: descriptor) else { return nil }
        self.modes = modes
        hide()
    }

    /// Hides the input again. A shell restores its own modes when it continues a stopped process.
    package func hide() {
        modes.hideInput()
    }

    deinit {
        modes.restore()
    }
}
