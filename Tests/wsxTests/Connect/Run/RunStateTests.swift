import Conversation
import Formats
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

@Suite struct RunStateTests {
    private static let clean = end(received: 1000)
    private static let lost = ConnectionEnd(closing: ClosingHandshake())

    private static func end(received code: UInt16) -> ConnectionEnd {
        var closing = ClosingHandshake()
        closing.received = CloseFrame(code: CloseCode(rawValue: code))
        closing.sent = closing.received
        return ConnectionEnd(closing: closing)
    }

    private func state(_ conditions: EndConditions = EndConditions()) -> RunState {
        RunState(conditions, closeTimeout: .seconds(5))
    }

    private func take(_ text: String, _ state: inout RunState) -> Bool {
        Array(text.utf8).withUnsafeBytes { state.receive($0.bytes, payload: $0.bytes) }
    }

    private func message(_ state: RunState) -> String? { state.failure?.message ?? nil }

    @Test("The message that meets the goal ends the run, and later ones do not count")
    func goal() throws {
        var state = state(EndConditions(until: [try MessageCondition("ready")]))
        let isFirstLast = take("wait", &state)
        #expect(!isFirstLast && !state.isEnding && !state.ignoresIncoming)
        let isSecondLast = take("ready", &state)
        #expect(isSecondLast)
        #expect(state.isEnding && state.ignoresIncoming && state.isClosing)
        state.lastConnectionEnded(Self.lost, unacknowledgedCount: 0)
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .abnormalClosure)
        #expect(state.failure == nil)
        #expect(state.isDraining)
    }

    @Test("A run fails if the peer closes before the goal is met")
    func closedEarly() {
        var state = state(EndConditions(count: 3))
        _ = take("a", &state)
        state.lastConnectionEnded(Self.clean, unacknowledgedCount: 0)
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(message(state) == "closed with 1000 after 1 of 3 messages")
    }

    @Test("A run fails if the wait ends before the goal is met")
    func waitEnded() {
        var state = state(EndConditions(count: 2))
        state.lingerEnded(.total(.seconds(30)))
        state.end()
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(
            message(state)
                == "0 of 2 messages within 30 s of the end of the input; raise --linger or --timeout to wait longer")
    }

    @Test("The end of the input ends a run if all messages have replies, and only then")
    func inputEnded() {
        for (conditions, hasReply, ends) in [
            (EndConditions(countsReplies: true), true, true), (EndConditions(countsReplies: true), false, false),
            (EndConditions(), true, false), (EndConditions(count: 2), true, false),
        ] {
            var state = state(conditions)
            state.conditions.messageSent()
            if hasReply { _ = take("reply", &state) }
            let hasEnded = state.inputEnded()
            #expect(hasEnded == ends)
            #expect(state.ignoresIncoming == ends && state.isEnding == ends && !state.isClosing)
        }
    }

    @Test("Missing replies are counted")
    func missingReplies() {
        var state = state(EndConditions(countsReplies: true))
        state.conditions.messageSent()
        let hasEnded = state.inputEnded()
        #expect(!hasEnded)
        state.lingerEnded(.total(.seconds(30)))
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(
            message(state)
                == "0 of 1 replies within 30 s of the end of the input; raise --linger or --timeout to wait longer")
        #expect(state.failure?.status == .timedOut)
    }

    @Test("Without a message to send, the error says that nothing was sent")
    func nothingSent() {
        var state = state(EndConditions(countsReplies: true))
        let hasEnded = state.inputEnded()
        #expect(!hasEnded)
        state.lingerEnded(.total(.seconds(30)))
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(
            message(state)
                == "no message was received within 30 s of the end of the input; "
                + "raise --linger or --timeout to wait longer")
    }

    @Test("A reader that closes the output before the goal is met is a success")
    func readerLeft() {
        var state = state(EndConditions(count: 2))
        state.ignoreIncoming()
        _ = state.end(with: nil, hurried: true)
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(state.failure == nil)
    }

    @Test("A run with an unmet expectation fails with it, also at the time limit")
    func expectations() throws {
        for limit in [nil, Duration.seconds(2)] {
            var state = state(EndConditions(expectations: [try MessageCondition("ok")]))
            if let limit { _ = state.end(with: .runTimedOut(after: limit), hurried: true) }
            state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
            #expect(
                message(state) == "no message matched --expect 'ok'" + (limit == nil ? "" : " within 2 s (--timeout)"))
        }
    }

    @Test("The first of several failures counts, and a failure overrides an unmet goal")
    func first() {
        var state = state(EndConditions(count: 1))
        let hurries = [
            state.end(with: .badInput(what: "input", why: "bad"), hurried: false),
            state.end(with: .interrupted, hurried: true), state.end(with: .interrupted, hurried: true),
        ]
        #expect(hurries == [false, true, false])
        state.drain(requestFailure: nil, isPrompt: false, lastCode: nil)
        #expect(message(state) == "input: bad")
    }

    @Test("Another connection follows a lost one until the run ends or closes")
    func interruption() {
        var state = state()
        #expect(state.interruption(by: Self.lost) != nil)
        #expect(state.interruption(by: Self.end(received: 1012)) != nil)
        #expect(state.interruption(by: Self.clean) == nil)
        state.closing = .begun
        #expect(state.interruption(by: Self.lost) == nil)
        state.closing = .notBegun
        _ = state.end(with: .interrupted, hurried: true)
        #expect(state.interruption(by: Self.lost) == nil)
    }

    @Test("A silent peer is the reason for a reconnect, or for the end of the run")
    func silence() {
        var state = state()
        state.dropCause = .silent(for: .seconds(3), misses: 3)
        #expect(state.interruption(by: Self.lost)?.status == .timedOut)
        state.lastConnectionEnded(Self.lost, unacknowledgedCount: 0)
        #expect(state.failure?.status == .timedOut)
    }

    @Test("A peer may drop the connection when asked to close, but not with unacknowledged messages")
    func unacknowledged() {
        var closing = ClosingHandshake()
        closing.sent = CloseFrame(code: .normalClosure)
        let dropped = ConnectionEnd(closing: closing)
        for count in [0, 2] {
            var state = state()
            state.lastConnectionEnded(dropped, unacknowledgedCount: count)
            #expect((state.failure == nil) == (count == 0))
        }
    }

    @Test("The prompt reports a failure once, and the next connection starts without it")
    func prompt() {
        var state = state()
        state.lastConnectionEnded(Self.end(received: 4000), unacknowledgedCount: 0)
        let (failure, _) = state.returnToPrompt()
        #expect(failure?.status == .closed)
        #expect(message(state) == nil)
        #expect(state.failure?.status == .closed)
        let goesOn = state.connectionOpened()
        #expect(goesOn && state.failure == nil)
    }

    @Test("A failed run does not use another connection; one that ends as requested does")
    func opened() {
        var failed = state()
        _ = failed.end(with: .interrupted, hurried: true)
        let failedGoesOn = failed.connectionOpened()
        #expect(!failedGoesOn)
        var ending = state()
        ending.end()
        let endingGoesOn = ending.connectionOpened()
        #expect(endingGoesOn)
        ending.awaitReplies()
        #expect(!ending.isEnding)
        ending.end()
        ending.closing = .begun
        ending.awaitReplies()
        #expect(ending.isEnding)
    }

    @Test("Leaving the prompt before the goal is met is a success")
    func leftPrompt() {
        for isPrompt in [true, false] {
            var state = state(EndConditions(count: 2))
            state.end()
            state.closing = .begun
            state.drain(requestFailure: nil, isPrompt: isPrompt, lastCode: .normalClosure)
            #expect((state.failure == nil) == isPrompt)
        }
    }

    @Test("Canceling a reconnect reports nothing again, but keeps the status of the last end")
    func stopped() {
        var state = state()
        state.stoppedConnecting(after: nil, unacknowledgedCount: 0)
        #expect(state.failure == nil)
        state.stoppedConnecting(after: Self.lost, unacknowledgedCount: 0)
        #expect(state.failure?.status == .closed && message(state) == nil)
    }

    @Test("An interrupt is final after a failure or an interrupt, but not after the peer has closed")
    func interrupts() {
        var closed = state()
        closed.lastConnectionEnded(Self.end(received: 4000), unacknowledgedCount: 0)
        closed.drain(requestFailure: nil, isPrompt: false, lastCode: nil)
        #expect(!closed.isInterruptFinal)
        _ = closed.end(with: .interrupted, hurried: true)
        #expect(closed.isInterruptFinal)
        var failed = state()
        #expect(!failed.isInterruptFinal)
        _ = failed.end(with: .badInput(what: "input", why: "bad"), hurried: false)
        #expect(failed.isInterruptFinal)
        failed.drain(requestFailure: nil, isPrompt: false, lastCode: nil)
        #expect(failed.isInterruptFinal)
    }
}
