import WSCore

extension ScenarioPlayer {
    /// The connection as the player sees it.
    package protocol Port {
        /// What the messages of steps pass on their way to the connection, or `nil` if they are sent unchanged.
        var pipeline: Pipeline? { get }
        /// Whether steps may send messages through the pipeline.
        var takesMessages: Bool { get }
        /// Sends a message that has passed the pipeline. Returns `false` if the connection is closed.
        /// - Throws: ``ProtocolInputError`` if it cannot be encoded.
        func send(_ payload: RawSpan, as kind: MessageKind) throws(ProtocolInputError) -> Bool
        /// Called for each message that the session of the pipeline holds back until its subscription is confirmed.
        func lineWaits(_ receipt: LineReceipt)
        /// Sends a ping or a pong. Returns `false` if the connection is closed.
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool
        /// Starts the closing handshake. Returns `false` if the connection is closed.
        func close(_ frame: CloseFrame) -> Bool
        /// Ends the connection without a closing handshake.
        func drop()
        /// Called after each step.
        /// - Parameters:
        ///   - index: The index of the step.
        ///   - nanoseconds: The duration of the step.
        ///   - reply: The messages that the step has waited for, if they may be several.
        func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?)
        /// Called for each optional step whose message has not arrived.
        func stepSkipped(_ index: Int)
        /// Called for each message that no step takes.
        func messageSkipped()
        /// Called after the last step, before the scenario is repeated.
        func iterationEnded()
    }
}

extension ScenarioPlayer.Port {
    /// `nil`: messages are sent unchanged.
    package var pipeline: Pipeline? { nil }
    package var takesMessages: Bool { true }
    package func lineWaits(_ receipt: LineReceipt) {}
    package func stepEnded(_ index: Int, nanoseconds: UInt64, reply: ReplyStream?) {}
    package func stepSkipped(_ index: Int) {}
    package func messageSkipped() {}
    package func iterationEnded() {}
}
