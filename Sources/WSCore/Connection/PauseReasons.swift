/// Why nothing is read from a peer for a while. Each is somebody's own: reading goes on when none is left.
public struct PauseReasons: OptionSet, Sendable {
    /// A bit for each reason.
    public let rawValue: UInt8

    /// Makes a set of reasons.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// What the messages are written to does not keep up.
    public static let output = PauseReasons(rawValue: 1)
}
