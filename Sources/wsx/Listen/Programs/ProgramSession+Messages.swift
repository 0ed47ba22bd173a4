import WSCore

// What goes to and fro between the client and its program.
extension ProgramSession {
    // MARK: To the program

    /// Takes a message of the client, which has to wait while the program leaves too much unread.
    func receive(_ payload: RawSpan, from connection: Connection<ListenClient>) {
        guard let input else { return }
        input.append(payload, asLine: isText)
        guard input.waitingBytes > Self.inputLimitBytes else { return }
        connection.pauseReading(for: .program)
        guard !isClientHeld else { return }
        isClientHeld = true
        untakenBytes = input.untakenBytes
        takingTime = run.loop.turnTime
    }

    /// The program has taken something, or takes no more.
    func inputDidDrain() {
        guard isClientHeld, let input, input.waitingBytes <= Self.inputLimitBytes / 2 else { return }
        releaseClient()
    }

    /// Goes on reading from the client.
    func releaseClient() {
        isClientHeld = false
        connection?.resumeReading(after: .program)
    }

    /// Whether the program takes nothing from a client that has to wait for it. While it takes something, it is to have what
    /// a client sent that has gone.
    var isStuck: Bool {
        guard isClientHeld, let input else { return false }
        if input.untakenBytes < untakenBytes {
            untakenBytes = input.untakenBytes
            takingTime = run.loop.turnTime
        }
        return run.loop.turnTime - takingTime >= Self.takingPatience
    }

    // MARK: From the program

    /// Sends what the program has written, as far as it goes in one turn.
    /// - Returns: The number of bytes that were taken.
    func received(output bytes: RawSpan) -> Int {
        guard !isDiscarding, let connection else { return bytes.byteCount }
        var isTooLong = false
        var messagesLeft = Self.turnMessages
        let takenBytes = splitter.split(bytes) { message in
            isTooLong = isText && message.byteCount > lineLimitBytes
            guard !isTooLong else { return false }
            send(message, to: connection)
            messagesLeft -= 1
            return messagesLeft > 0
        }
        if isTooLong || splitter.carriedBytes > lineLimitBytes {
            giveUp(onLineLongerThan: lineLimitBytes)
            return bytes.byteCount
        }
        // At its end the program waits for nobody.
        if connection.isFull || connection.handler.hasFullGate, output?.takesRest == false { output?.pause() }
        return takenBytes
    }

    /// The client has read something.
    func clientDidDrain() {
        if let connection, connection.isFull || connection.handler.hasFullGate { return }
        output?.resume()
    }

    /// The last line counts without a newline, too.
    func outputIsOver() {
        if !isDiscarding, let connection { splitter.finish { send($0, to: connection) } }
        reportEndIfOver()
    }

    private var lineLimitBytes: Int { run.settings.arguments.maximumMessageBytes }

    private func send(_ message: RawSpan, to connection: Connection<ListenClient>) {
        lineCount += 1
        if isText, !UTF8Validator.isValid(message) {
            if !hasReportedBadLine {
                run.console.error(
                    "client \(number): line \(lineCount) of \(pool.command.name) was not sent, nor will others like it be: "
                        + "\(InputProblem.notText)")
            }
            hasReportedBadLine = true
            return
        }
        let kind: MessageKind = isText ? .text : .binary
        guard connection.handler.letsThrough(.message(kind), message) else { return }
        if connection.send(message, as: kind), run.observesMessages { run.echoed(message, as: kind, to: number) }
    }

    private func giveUp(onLineLongerThan limit: Int) {
        run.programFailed(
            "a line of \(pool.command.name) has more than \(limit) bytes; --max-message-size allows more", of: number)
        close(with: CloseFrame(code: .internalError, reason: "a line is too long"))
        leave()
    }

    /// Closes the client's connection. What the program still writes is thrown away.
    func close(with frame: CloseFrame) {
        isDiscarding = true
        guard let connection, connection.handler.letsThrough(.close(frame), RawSpan()) else { return }
        run.close(connection, with: frame)
    }

    // MARK: Standard error

    /// Shows what the program complains of, as far as it goes in one turn.
    /// - Returns: The number of bytes that were taken.
    func show(errors bytes: RawSpan) -> Int {
        let (lines, takenBytes) = errorLines.take(bytes, atMost: Self.turnErrorLines)
        if !lines.isEmpty { run.console.show(lines) }
        // What the program complains of is read as fast as standard error is; at its end it waits for nobody.
        if run.console.isBusy, let errors, !errors.takesRest {
            errors.pause()
            errorTimer.start(after: Console.busyInterval)
        }
        return takenBytes
    }

    /// Reads on when standard error has room again.
    func readErrorsOn() {
        if run.console.isBusy, let errors, !errors.takesRest {
            errorTimer.start(after: Console.busyInterval)
        } else {
            errors?.resume()
        }
    }

    /// Shows the last complaint.
    func errorsAreOver() {
        let lines = errorLines.finish()
        if !lines.isEmpty { run.console.show(lines) }
        reportEndIfOver()
    }
}
