import Conversation
import Formats
import Testing

@testable import WSCore
@testable import wsx

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
        Array(text.utf8).withUnsafeBytes { state.isLast($0.bytes) }
    }

    private func message(_ state: RunState) -> String? { state.failure?.message ?? nil }

    @Test("the message that meets the goal ends the run, which then counts no message")
    func goal() throws {
        var state = state(EndConditions(until: [try Pattern("ready")]))
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

    @Test("a peer that closes before the goal is met fails the run")
    func closedEarly() {
        var state = state(EndConditions(count: 3))
        _ = take("a", &state)
        state.lastConnectionEnded(Self.clean, unacknowledgedCount: 0)
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(message(state) == "closed with 1000 after 1 of 3 messages")
    }

    @Test("a wait that ends before the goal is met fails the run")
    func waitEnded() {
        var state = state(EndConditions(count: 2))
        state.lingerEnded(.total(.seconds(30)))
        state.end()
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(
            message(state) == "0 of 2 messages within 30 s of the last input; --linger or --timeout waits longer")
    }

    @Test("a reader that goes away before the goal is met is a success")
    func readerLeft() {
        var state = state(EndConditions(count: 2))
        state.readerLeft()
        _ = state.end(with: nil, hurried: true)
        state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
        #expect(state.failure == nil)
    }

    @Test("an expectation that no message meets is what the run ends with, also at its time limit")
    func expectations() throws {
        for limit in [nil, Duration.seconds(2)] {
            var state = state(EndConditions(expectations: [try Pattern("ok")]))
            if let limit { _ = state.end(with: .runTimedOut(after: limit), hurried: true) }
            state.drain(requestFailure: nil, isPrompt: false, lastCode: .normalClosure)
            #expect(
                message(state) == "no message matched --expect 'ok'" + (limit == nil ? "" : " within 2 s (--timeout)"))
        }
    }

    @Test("of several failures the first counts, and a failure counts more than an open goal")
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

    @Test("a lost connection is followed by another one until the run ends or closes")
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

    @Test("a silent peer is why another connection follows, or why the run ends")
    func silence() {
        var state = state()
        state.silence = .silent(for: .seconds(3), misses: 3)
        #expect(state.interruption(by: Self.lost)?.status == .timedOut)
        state.lastConnectionEnded(Self.lost, unacknowledgedCount: 0)
        #expect(state.failure?.status == .timedOut)
    }

    @Test("a peer may drop the connection when asked to close, but not with unacknowledged messages")
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

    @Test("at the prompt a failure is reported once, and the next connection begins without it")
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

    @Test("a run that has failed does not use another connection; one that ends as asked does")
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

    @Test("leaving the prompt before the goal is met is a success")
    func leftPrompt() {
        for isPrompt in [true, false] {
            var state = state(EndConditions(count: 2))
            state.end()
            state.closing = .begun
            state.drain(requestFailure: nil, isPrompt: isPrompt, lastCode: .normalClosure)
            #expect((state.failure == nil) == isPrompt)
        }
    }

    @Test("giving up the wait for a connection reports nothing again, but has the status of the last end")
    func stopped() {
        var state = state()
        state.stoppedConnecting(after: nil, unacknowledgedCount: 0)
        #expect(state.failure == nil)
        state.stoppedConnecting(after: Self.lost, unacknowledgedCount: 0)
        #expect(state.failure?.status == .closed && message(state) == nil)
    }

    @Test("an interrupt is final for a run that has failed or was interrupted, but not when the peer has closed")
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
