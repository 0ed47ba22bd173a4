import Formats
import UserInterface
import WSCore

/// The program of `--encode exec:`, as a function from texts to messages: it waits for each answer.
///
/// The answer may depend only on the text, because a message that waits, or is sent again, is encoded again.
///
/// Waiting blocks the run's loop, and keeps the order of messages, pings, and close frames without a queue. Meanwhile,
/// a loop of its own serves the program, and signals end the wait.
package final class EncodingProgram {
    private enum Wait {
        case idle
        case awaiting
        case answered([UInt8])
        case failed(Failure)
    }

    private let command: ProgramCommand
    private let codec: Codec
    private let limitBytes: Int
    private let timeout: Duration
    private let timeLimit: Duration?
    private let startTime: Duration
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    /// Started with the first message, and after each failure with the next message.
    private var program: CodecProgram?
    /// Those that have failed and have not exited yet.
    private var former: [CodecProgram] = []
    private var wait = Wait.idle

    /// Prepares a program.
    /// - Parameters:
    ///   - limitBytes: The maximum size of an answer.
    ///   - timeout: The time limit for an answer.
    ///   - timeLimit: The time limit of the run, which begins now.
    /// - Throws: ``IOError`` if the system has no descriptor left.
    package init(
        _ command: ProgramCommand, codec: Codec, limitBytes: Int, timeout: Duration, timeLimit: Duration?,
        diagnostics: Diagnostics
    ) throws(IOError) {
        self.command = command
        self.codec = codec
        self.limitBytes = limitBytes
        self.timeout = timeout
        self.timeLimit = timeLimit
        self.diagnostics = diagnostics
        loop = try EventLoop()
        startTime = loop.now
    }

    /// Why the program or the wait for its last answer has ended, or `nil` if the program works.
    package var failure: Failure? { if case .failed(let failure) = wait { failure } else { nil } }

    /// Appends the message for a text.
    /// - Throws: ``CodecError``. If it is the end of the program, ``failure`` describes it, too.
    package func encode(_ text: RawSpan, to buffer: inout ByteBuffer) throws(CodecError) {
        let answer = try answer(to: text.withUnsafeBytes { Array($0) })
        guard !answer.isEmpty else {
            throw CodecError(codec: codec, problem: .program("\(command.name) answered with an empty line"))
        }
        do throws(EncodedTextError) {
            try Base64.appendDecoded(answer.span.bytes, to: &buffer)
        } catch {
            fail(because: "wrote a line that is not Base64")
            throw CodecError(codec: codec, problem: .program(failure?.message ?? ""))
        }
    }

    /// Ends the program, even if it ignores the request.
    package func kill() {
        for program in former { program.kill() }
        program?.kill()
    }

    deinit {
        kill()
    }

    private func answer(to text: [UInt8]) throws(CodecError) -> [UInt8] {
        guard !text.contains(UInt8(ascii: "\n")) else { throw CodecError(codec: codec, problem: .lineBreak) }
        do throws(Failure) {
            // First: a signal may arrive as soon as the program runs.
            let timeLeft = timeLimit.map { max(.zero, $0 - (loop.now - startTime)) }
            let requests = try StopRequests(timeLimit: timeLeft, on: loop) { [unowned self] request in
                if case .timeLimit = request, let timeLimit {
                    end(with: .runTimedOut(after: timeLimit))
                } else {
                    end(with: request.failure)
                }
            }
            let program = try start()
            program.send(text.span.bytes)
            wait = .awaiting
            let timer = Timer(on: loop) { [unowned self] in fail(because: "did not answer in time") }
            timer.start(after: timeout)
            withExtendedLifetime((timer, requests)) {
                while case .awaiting = wait { loop.run() }
            }
        } catch {
            end(with: error)
        }
        if case .answered(let line) = wait {
            wait = .idle
            return line
        }
        throw CodecError(codec: codec, problem: .program(failure?.message ?? "the program was interrupted"))
    }

    /// Starts the program, unless it runs.
    private func start() throws(Failure) -> CodecProgram {
        if let program, failure == nil {
            // Finds out whether it has written a line without a message.
            loop.runOnce()
            if let failure { throw failure }
            return program
        }
        do throws(IOError) {
            let program = try CodecProgram(
                command, sendsText: true, limitBytes: limitBytes, diagnostics: diagnostics, on: loop
            ) { [unowned self] line in
                received(line)
            } didEnd: { [unowned self] words in
                fail(because: words)
            }
            former.removeAll(where: \.isGone)
            if let failed = self.program { former.append(failed) }
            self.program = program
            return program
        } catch {
            throw .program("running \(command.name): \(error) (--encode)")
        }
    }

    /// Handles a line of the program.
    /// - Returns: Whether to read further lines, which are not expected.
    private func received(_ line: RawSpan) -> Bool {
        guard case .awaiting = wait else {
            fail(because: "wrote a line that answers no message")
            return false
        }
        wait = .answered(line.withUnsafeBytes { Array($0) })
        loop.stop()
        return true
    }

    private func fail(because words: String) {
        end(with: .program("\(command.name) \(words) (--encode)"))
    }

    /// Ends the program: its next answer might be that to another message.
    private func end(with failure: Failure) {
        wait = .failed(failure)
        program?.close()
        loop.stop()
    }
}
