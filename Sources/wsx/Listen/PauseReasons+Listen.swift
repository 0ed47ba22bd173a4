import WSCore

extension PauseReasons {
    /// A client to whom its messages go, among others, does not keep up.
    static let slowReader = PauseReasons(rawValue: 2)
    /// What answers its messages waits for its time.
    static let gate = PauseReasons(rawValue: 4)
    /// Its program does not keep up.
    static let program = PauseReasons(rawValue: 8)
    /// Its messages have had their share of the turn.
    static let turn = PauseReasons(rawValue: 16)
    /// What the server of a recording said to it is still on its way.
    static let replay = PauseReasons(rawValue: 32)
    /// Its messages have filled an output that others are waiting for.
    static let outputTurn = PauseReasons(rawValue: 64)
}
