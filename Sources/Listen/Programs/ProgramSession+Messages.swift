import Formats
import Peer
import UserInterface
import WSCore

// Messages between the client and its program.
extension ProgramSession {
    // MARK: To the program

    /// Passes a client's message to the program. Pauses the client while the program leaves too much unread.
    func received(_ payload: RawSpan, as kind: MessageKind, from client: Connection<ListenClient>) {
        guard let input else { return }
        if let events {
            events.write("message", to: input) { $0.add(payload, as: kind, .incoming) }
        } else {
            input.append(payload, asLine: isText)
        }
        pauseIfFull(client)
    }

    /// Passes a client's ping or pong to a program that takes events.
    func received(control opcode: Opcode, _ payload: RawSpan, from client: Connection<ListenClient>) {
        guard let input, let events else { return }
        events.write(opcode == .ping ? "ping" : "pong", to: input) { $0.add(control: payload, .incoming) }
        pauseIfFull(client)
    }

    /// Reports the opening of the connection to a program that takes events.
    func receiveOpen(url: String, _ upgrade: ServerUpgrade, _ extensions: [ExtensionOffer]) {
        guard let input, let events else { return }
        events.write("open", to: input) { $0.add(url: url, upgrade.subprotocol, extensions) }
    }

    private func pauseIfFull(_ client: some ServedClient) {
        guard let input else { return }
        guard input.waitingBytes > Self.inputLimitBytes else { return }
        client.pauseReading(for: .program)
        if hold == nil { hold = Hold(untakenBytes: input.untakenBytes, takingTime: pool.loop.turnTime) }
    }

    /// Resumes the client after the program has read enough or has closed its input.
    func inputDidDrain() {
        guard hold != nil, let input, input.waitingBytes <= Self.inputLimitBytes / 2 else { return }
        hold = nil
        client?.resumeReading(after: .program)
    }

    /// Whether the program has stopped reading while its client is paused. As long as the program reads, even slowly,
    /// it receives everything that a departed client sent.
    var isStuck: Bool {
        guard let input, let hold else { return false }
        let now = pool.loop.turnTime
        guard input.untakenBytes >= hold.untakenBytes else {
            self.hold = Hold(untakenBytes: input.untakenBytes, takingTime: now)
            return false
        }
        return now - hold.takingTime >= Self.stuckTimeout
    }

    // MARK: From the program

    /// Sends the program's output to the client, within the limit of one turn.
    /// - Returns: The number of bytes consumed.
    func received(output bytes: RawSpan) -> Int {
        guard !isDiscarding, let client else { return bytes.byteCount }
        var isTooLong = false
        var messagesLeft = Self.turnMessages
        let takenBytes = splitter.split(bytes) { message in
            isTooLong = isText && message.byteCount > lineLimitBytes
            guard !isTooLong else { return false }
            send(message, to: client)
            messagesLeft -= 1
            return messagesLeft > 0
        }
        if isTooLong || splitter.carriedBytes > lineLimitBytes {
            giveUp(onLineLongerThan: lineLimitBytes)
            return bytes.byteCount
        }
        // After the program has exited, the rest of its output is not paused.
        if client.isFull || client.hasFullGate, output?.takesRest == false { output?.pause() }
        return takenBytes
    }

    /// Resumes the program's output when the client has room again.
    func clientDidDrain() {
        if let client, client.isFull || client.hasFullGate { return }
        output?.resume()
    }

    /// Sends the last line even if it has no newline.
    func outputIsOver() {
        if !isDiscarding, let client { splitter.finish { send($0, to: client) } }
        reportEndIfOver()
    }

    private var lineLimitBytes: Int { pool.arguments.limits.maximumMessageBytes }

    private func send(_ message: RawSpan, to client: any ServedClient) {
        lineCount += 1
        if events != nil { return send(event: message, to: client) }
        if isText, !UTF8Validator.isValid(message) {
            return reportBadLine(.notText)
        }
        send(.message(isText ? .text : .binary), message, to: client)
    }

    /// Sends what an event asks for.
    private func send(event line: RawSpan, to client: any ServedClient) {
        do throws(InputProblem) {
            guard let input = try events?.decode(line) else { return }
            events?.withPayload { send(input.item, $0, to: client) }
        } catch {
            reportBadLine(error)
        }
    }

    /// Sends an item, encoded if it is a text and `--encode` is given.
    private func send(_ item: InputItem, _ payload: RawSpan, to client: any ServedClient) {
        guard case .message(let kind) = item else { return pass(item, payload, to: client) }
        do throws(CodecError) {
            try pool.run.broadcaster.encoder.encode(payload, as: kind) { pass(.message($1), $0, to: client) }
        } catch {
            reportBadLine(.notEncodable(error))
        }
    }

    private func pass(_ item: InputItem, _ payload: RawSpan, to client: any ServedClient) {
        switch item {
        case .close(let frame?), .end(let frame): return close(with: frame)
        case .close(nil): return
        case .message, .ping, .pong: break
        }
        guard !isDiscarding, client.letsThrough(item, payload) else { return }
        switch item {
        case .message(let kind): if client.send(payload, as: kind) { sent(payload, as: kind) }
        case .ping: _ = client.sendPing(payload)
        case .pong: _ = client.sendPong(payload)
        case .close, .end: break
        }
    }

    private func sent(_ payload: RawSpan, as kind: MessageKind) {
        if pool.outputs.observesMessages { pool.outputs.answered(payload, as: kind, to: number) }
    }

    /// Reports the first line that cannot be sent.
    private func reportBadLine(_ problem: InputProblem) {
        if !hasReportedBadLine {
            diagnostics.error("client \(number): \(problem.words(forLine: lineCount, of: pool.command.name))")
        }
        hasReportedBadLine = true
    }

    private func giveUp(onLineLongerThan limit: Int) {
        pool.programFailed(InputProblem.words(forLineOf: pool.command.name, longerThan: limit), of: number)
        close(with: CloseFrame(code: .internalError, reason: "a line is too long"))
        endInput()
    }

    /// Closes the client's connection and discards the program's further output.
    func close(with frame: CloseFrame) {
        isDiscarding = true
        guard let client, client.letsThrough(.close(frame), RawSpan()) else { return }
        pool.run.broadcaster.close(client, with: frame)
    }
}
