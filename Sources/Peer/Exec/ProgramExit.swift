import WSCore

extension ChildProcess.Exit {
    /// Words for the end of a program that ignored SIGTERM, to follow the program's name.
    package static let killedWords = "did not exit in time and was killed (--exec-grace)"

    /// The exit in words, to follow the program's name.
    package var words: String {
        switch self {
        case .status(let status): "exited with status \(status)"
        case .signal(let number): "was killed by signal \(number)"
        }
    }

    /// The close frame for the program's peer.
    /// - Parameter success: The close frame after status 0.
    package func closeFrame(or success: CloseFrame = CloseFrame(code: .normalClosure)) -> CloseFrame {
        self == .status(0) ? success : CloseFrame(code: .internalError, reason: words)
    }
}
