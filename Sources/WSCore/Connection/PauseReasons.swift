/// The reasons why reading is paused. Reading resumes when no reason is left.
public struct PauseReasons: OptionSet, Sendable {
    /// One bit per reason.
    public let rawValue: UInt8

    /// Creates a set of reasons from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The output the messages are written to cannot keep up.
    public static let output = PauseReasons(rawValue: 1)
}
