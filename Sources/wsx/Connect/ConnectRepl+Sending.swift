import WSCore

// What is typed to be sent.
extension ConnectRepl {
    /// Sends a message, also one that has to wait for the next connection.
    func send(message: [UInt8], as kind: MessageKind) {
        message.withUnsafeBytes { bytes in
            guard kind == .binary || UTF8Validator.isValid(bytes.bytes) else {
                return run.console.error("the line is not UTF-8 text and was not sent")
            }
            guard run.connection != nil || run.expectsConnection else { return sayDisconnected("message") }
            run.sendLasting(bytes.bytes, as: kind)
            run.confirmInTime()
        }
    }

    /// Sends a ping, whose pong shows the round trip.
    func sendPing(_ payload: [UInt8]) {
        run.ping = (payload, run.loop.now)
        payload.withUnsafeBytes { send(control: .ping, $0.bytes) }
    }

    /// Sends a ping or a pong.
    func send(control opcode: Opcode, _ payload: RawSpan) {
        guard run.connection != nil else { return sayDisconnected("\(opcode)") }
        guard run.send(control: opcode, payload) else {
            return run.console.error("the connection is closing: the \(opcode) was not sent")
        }
    }

    /// Begins the closing handshake. Where the next connection is waited for, that wait ends.
    func close(with frame: CloseFrame) {
        if run.connection != nil { return run.close(with: frame) }
        guard run.expectsConnection else { return sayDisconnected("close frame") }
        run.stopConnecting()
    }

    private func sayDisconnected(_ what: String) {
        run.console.error("there is no connection: the \(what) was not sent; /reconnect opens one")
    }
}
