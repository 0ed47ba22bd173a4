import WSCore

// What goes to and fro between the client and its program.
extension ProgramSession {
    // MARK: To the program

    /// Takes a message of the client, which has to wait while the program leaves too much unread.
    func receive(_ payload: RawSpan, from client: some ServedClient) {
        guard let input else { return }
        input.append(payload, asLine: isText)
        guard input.waitingBytes > Self.inputLimitBytes else { return }
        client.pauseReading(for: .program)
        if hold == nil { hold = Hold(untakenBytes: input.untakenBytes, takingTime: host.loop.turnTime) }
    }

    /// The program has taken something, or takes no more.
    func inputDidDrain() {
        guard hold != nil, let input, input.waitingBytes <= Self.inputLimitBytes / 2 else { return }
        hold = nil
        client?.resumeReading(after: .program)
    }

    /// Whether the program takes nothing from a client that has to wait for it. While it takes something, it is to have what
    /// a client sent that has gone.
    var isStuck: Bool {
        guard let input, let hold else { return false }
        let now = host.loop.turnTime
        guard input.untakenBytes >= hold.untakenBytes else {
            self.hold = Hold(untakenBytes: input.untakenBytes, takingTime: now)
            return false
        }
        return now - hold.takingTime >= Self.takingPatience
    }

    // MARK: From the program

    /// Sends what the program has written, as far as it goes in one turn.
    /// - Returns: The number of bytes that were taken.
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
        // At its end the program waits for nobody.
        if client.isFull || client.hasFullGate, output?.takesRest == false { output?.pause() }
        return takenBytes
    }

    /// The client has read something.
    func clientDidDrain() {
        if let client, client.isFull || client.hasFullGate { return }
        output?.resume()
    }

    /// The last line counts without a newline, too.
    func outputIsOver() {
        if !isDiscarding, let client { splitter.finish { send($0, to: client) } }
        reportEndIfOver()
    }

    private var lineLimitBytes: Int { pool.arguments.limits.maximumMessageBytes }

    private func send(_ message: RawSpan, to client: any ServedClient) {
        lineCount += 1
        if isText, !UTF8Validator.isValid(message) {
            if !hasReportedBadLine {
                host.console.error(
                    "client \(number): line \(lineCount) of \(pool.command.name) was not sent, nor will others like it be: "
                        + "\(InputProblem.notText)")
            }
            hasReportedBadLine = true
            return
        }
        let kind: MessageKind = isText ? .text : .binary
        guard client.letsThrough(.message(kind), message), client.send(message, as: kind) else { return }
        host.programSent(message, as: kind, to: number)
    }

    private func giveUp(onLineLongerThan limit: Int) {
        host.programFailed(
            "a line of \(pool.command.name) has more than \(limit) bytes; --max-message-size allows more", of: number)
        close(with: CloseFrame(code: .internalError, reason: "a line is too long"))
        leave()
    }

    /// Closes the client's connection. What the program still writes is thrown away.
    func close(with frame: CloseFrame) {
        isDiscarding = true
        guard let client, client.letsThrough(.close(frame), RawSpan()) else { return }
        host.close(client, with: frame)
    }
}
