// Judging: which outcome fits what has happened.
extension CasePlayer {
    /// Compares the events with those of each outcome.
    private func matches() -> [Transcript.Match] {
        let mayGrow = stepIndex < item.steps.count
        return item.outcomes.map { outcome in
            // Before an awaited failure, its lateness is not known.
            guard outcome.isLate == isLate || outcome.isLate && mayGrow else { return .never }
            return transcript.match(outcome.events, withData: peer.echoes, mayGrow: mayGrow)
        }
    }

    /// Goes on with the end if the events are complete, or ends at once if no outcome can match any more.
    func judgeProgress() {
        guard phase == .steps else { return }
        let matches = matches()
        if matches.allSatisfy({ $0 == .never }) { return finish() }
        let possible = zip(item.outcomes, matches).filter { $0.1 != .never }
        guard isDone, possible.contains(where: { $0.1 == .complete && $0.0.ending.isOurs }) else { return }
        // Neither a ping nor a close frame can be sent within a frame: silence decides.
        if sender.isWithinFrame { return }
        // Where the peer may fail the connection, its pong shows that it does not.
        if possible.allSatisfy({ $0.0.ending.isOurs }) { beginClosing() } else { wait = .probe(ping()) }
    }

    func beginClosing() {
        wait = nil
        phase = .closing
        sendClose(CloseCode.normal)
    }

    func skip(_ reason: String) {
        sendClose(CloseCode.normal)
        end(with: .skipped(reason))
    }

    func finish(problem: Violation? = nil, metLimit: Bool = false) {
        guard phase != .over else { return }
        let isClosing = phase == .closing && problem == nil
        // Our close frame may have to leave.
        if !isClosing {
            sender.removeAll()
            http2?.removeAll()
        }
        let matches = matches()
        let outcome =
            problem == nil
            ? zip(item.outcomes, matches).first { outcome, match in
                match == .complete
                    && course.matches(outcome.ending, isDone: isDone, hasEvents: outcome.events?.isEmpty == false)
            }?.0 : nil
        var result = CaseResult(verdict: outcome?.verdict ?? .failed, reason: "")
        result.metLimit = metLimit || isLate
        result.refusalStatus = course.refusal?.status
        if let problem {
            result.reason = problem.reason
            result.reference = problem.reference
        } else if outcome == nil {
            result.reason = reason(metLimit: metLimit, isUnexpected: matches.allSatisfy { $0 == .never })
        } else if outcome?.verdict != .passed {
            result.reason = isLate ? "the peer fails the connection only later" : course.words
        }
        if course.isOpen, let ending = (outcome ?? item.outcomes.first)?.ending {
            result.close = course.closeVerdict(ending)
        }
        end(with: result)
    }

    func end(with result: CaseResult) {
        self.result = result
        self.result?.log = log
        self.result?.hasOpened = course.isOpen
        phase = .over
        wait = nil
        action = .close
    }

    private func reason(metLimit: Bool, isUnexpected: Bool) -> String {
        if !course.isOpen {
            if metLimit, http2?.awaitsConnect == true { return "the server does not announce extended CONNECT" }
            return metLimit ? "the server did not answer the handshake in time" : course.words + " during the handshake"
        }
        if isUnexpected { return "what the peer sent is not what was expected; " + course.words }
        guard metLimit else { return course.words }
        switch wait {
        case .login: return "the message that --ready waits for did not come in time"
        case .sync, .probe: return "the peer did not answer a ping in time"
        case .exchange, .step(.echo): return "the echo did not come in time"
        case .step(.pong): return "the pong did not come in time"
        case .step(.acknowledgements): return "settings or a ping of HTTP/2 were not acknowledged in time"
        case .step, .pause, nil: return "what was expected did not come in time; " + course.words
        }
    }
}
