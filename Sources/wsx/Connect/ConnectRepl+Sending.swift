import Formats
import WSCore

// What is typed to be sent.
extension ConnectRepl {
    /// Sends a message, also one that has to wait for the next connection.
    func send(message: [UInt8], as kind: MessageKind) {
        message.withUnsafeBytes { bytes in
            guard kind == .binary || UTF8Validator.isValid(bytes.bytes) else {
                return run.console.error("the line is not UTF-8 text and was not sent")
            }
            guard run.connection != nil || run.expectsConnection && run.keepsMessages else {
                return sayDisconnected("message")
            }
            lastMessage = (message, kind)
            if kind == .text { editor.words.remember(bytes.bytes) }
            if run.requests == nil {
                run.sendLasting(bytes.bytes, as: kind)
            } else {
                run.sendTypedRequest(bytes.bytes, as: kind)
            }
            run.confirmInTime()
            if message.count > ReplStatus.largeBytes { status.watchSending() }
        }
    }

    /// The largest file that is sent as one message, in bytes: it is in memory several times.
    private static let maximumFileBytes = 1 << 30

    /// Sends a file as one message.
    /// - Parameter kind: Nil: text where that is wished for and the file is.
    func sendFile(_ path: String, as kind: MessageKind?) {
        let path = UserFiles.expandingHome(path)
        let contents: [UInt8]
        do throws(IOError) {
            contents = try File.readRegular(path, maximumBytes: Self.maximumFileBytes)
        } catch {
            return run.console.error("/file: \(escapingControls(path)): \(error)")
        }
        let isText = contents.withUnsafeBytes { UTF8Validator.isValid($0.bytes) }
        guard isText || kind != .text else {
            return run.console.error("/file: \(escapingControls(path)): it is not UTF-8 text; '/file binary' sends it")
        }
        send(message: contents, as: kind ?? (isText ? run.settings.kind : .binary))
    }

    /// Sends the last message again, and again.
    func startRepetition(count: Int, interval: Duration) {
        guard let (payload, kind) = lastMessage else { return run.console.error("/repeat: nothing has been sent yet") }
        repetition = Repetition(count: count, interval: interval, on: run.loop) { [unowned self] in
            !run.isFull
        } send: { [unowned self] in
            send(message: payload, as: kind)
        } finish: { [unowned self] in
            repetition = nil
        }
    }

    /// Ends the repetition and says how far it has come.
    func endRepetition() {
        guard let count = repetition?.sentCount else { return }
        repetition = nil
        run.console.notice("Repeated \(Phrase.count(count, "time")).")
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
        let remedy = run.expectsConnection ? "one is being opened" : "/reconnect opens one"
        run.console.error("there is no connection: the \(what) was not sent; \(remedy)")
    }
}
