import Formats
import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct RequestWorkloadTests {
    private static let start = LoadFixture.start

    /// Starts a load of numbered requests on one connection.
    private func load(
        correlate name: String? = "id", expect expectations: [String] = [],
        _ change: (inout LoadPlan) -> Void = { _ in }
    ) throws -> LoadFixture {
        let template = try LoadFixture.template(#"{"id":{{seq}},"op":"list"}"#)
        let fixture = LoadFixture(.request) { plan in
            plan.messages.templates = [template]
            plan.replies.correlation = name.flatMap { Correlation($0) }
            plan.replies.expectations = expectations
            change(&plan)
        }
        fixture.workload.sendDue()
        return fixture
    }

    /// Passes a text message to the connection.
    private func receive(_ text: String, on fixture: LoadFixture, at time: UInt64 = start) throws {
        let connection: RequestConnection = try fixture.connection(0)
        fixture.context.now = time
        Array(text.utf8).withUnsafeBytes { connection.receive($0.bytes, as: .text) }
    }

    @Test("In order, any message is the reply to the oldest request")
    func byOrder() throws {
        let fixture = try load(correlate: nil)
        try expectEqual(fixture.port().sent.map { String(decoding: $0, as: UTF8.self) }, [#"{"id":1,"op":"list"}"#])
        try receive("anything", on: fixture, at: Self.start + 1500)
        #expect((fixture.tally.received, fixture.tally.sent, fixture.tally.pushes) == (1, 2, 0))
        expectEqual(fixture.largestLatency(), 1500)
    }

    @Test("Without ids, a late reply has its latency only if no reply was lost", arguments: [false, true])
    func lateInOrder(isLost: Bool) throws {
        let fixture = try load(correlate: nil) { $0.messageCount = 3 }
        try receive("first", on: fixture, at: Self.start + 1000)
        fixture.context.giveUpReplies(before: Self.start + 1001)
        try receive("second", on: fixture, at: Self.start + 5000)
        #expect((fixture.tally.received, fixture.tally.latencyOmitted) == (2, 1))
        if !isLost { try receive("third", on: fixture, at: Self.start + 6000) }
        let connection: RequestConnection = try fixture.connection(0)
        fixture.workload.ended(connection)
        expectEqual(fixture.tally.latencyOmitted, isLost ? 1 : 0)
        // The second request was sent with the first reply, and the third when that was given up.
        expectEqual(fixture.largestLatency(), isLost ? 1000 : 5000)
    }

    @Test("Without ids, latencies since everything was answered are left out if a reply is missing")
    func lostInOrder() throws {
        let fixture = try load(correlate: nil) {
            $0.pace.inFlight = 3
            $0.messageCount = 3
        }
        try receive("one", on: fixture, at: Self.start + 1000)
        try receive("two", on: fixture, at: Self.start + 2000)
        expectEqual(fixture.tally.latencyOmitted, 0)
        let connection: RequestConnection = try fixture.connection(0)
        fixture.workload.ended(connection)
        #expect((fixture.tally.received, fixture.tally.latencyOmitted, fixture.tally.lost) == (2, 2, 1))
        expectEqual(fixture.largestLatency(), 0)
    }

    @Test("Without a request in flight, a message is a push")
    func pushInOrder() throws {
        let fixture = try load(correlate: nil) { $0.messageCount = 1 }
        try receive("reply", on: fixture)
        try receive("push", on: fixture)
        #expect((fixture.tally.received, fixture.tally.pushes, fixture.tally.duplicated) == (1, 1, 0))
        expectTrue(fixture.tally.isFlawless)
        // One of them answers the request.
        expectEqual(fixture.tally.latencyOmitted, 1)
        expectEqual(fixture.largestLatency(), 0)
    }

    @Test("A message before the first request of a connection is a greeting, which casts no doubt on replies")
    func greeting() throws {
        let template = try LoadFixture.template("list")
        let fixture = LoadFixture(.request) { $0.messages.templates = [template] }
        try receive("welcome", on: fixture)
        fixture.workload.sendDue()
        try receive("reply", on: fixture, at: Self.start + 1500)
        #expect((fixture.tally.received, fixture.tally.pushes, fixture.tally.latencyOmitted) == (1, 1, 0))
        expectEqual(fixture.largestLatency(), 1500)
    }

    @Test("Replies in any order find their requests by the field")
    func byField() throws {
        let fixture = try load {
            $0.pace.inFlight = 3
            $0.messageCount = 3
        }
        for text in [#"{"id":3}"#, #"{"event":"push"}"#, #"{"id":1}"#, #"{"id":"2"}"#, #"{"id":2}"#, "no JSON"] {
            try receive(text, on: fixture)
        }
        let tally = fixture.tally
        #expect((tally.received, tally.pushes, tally.mismatched, tally.reordered) == (3, 3, 0, 0))
        expectTrue(fixture.workload.isAnswered)
    }

    @Test("A reply may have the id of its request elsewhere")
    func otherField() throws {
        let fixture = try load(correlate: "id=/error/id,/result/id") {
            $0.pace.inFlight = 3
            $0.messageCount = 3
        }
        for text in [
            #"{"id":1}"#, #"{"result":{"id":2}}"#, #"{"error":{"id":9},"result":{"id":1}}"#, #"{"error":{"id":3}}"#,
        ] {
            try receive(text, on: fixture)
        }
        #expect((fixture.tally.received, fixture.tally.pushes) == (3, 1))
        expectTrue(fixture.workload.isAnswered)
    }

    @Test("A second reply to a request is a push")
    func secondReply() throws {
        let fixture = try load { $0.messageCount = 1 }
        try receive(#"{"id":1}"#, on: fixture)
        try receive(#"{"id":1}"#, on: fixture)
        #expect((fixture.tally.received, fixture.tally.pushes) == (1, 1))
    }

    @Test("A reply has to match every expectation")
    func expectations() throws {
        let fixture = try load(expect: ["ok", "^\\{.*\\}$"]) {
            $0.pace.inFlight = 2
            $0.messageCount = 2
        }
        try receive(#"{"id":1,"ok":true}"#, on: fixture)
        try receive(#"{"id":2,"error":1}"#, on: fixture)
        #expect((fixture.tally.received, fixture.tally.mismatched, fixture.tally.lost) == (1, 1, 0))
        let reply = fixture.context.measurement.mismatchedReply
        expectEqual(reply, #"{"id":2,"error":1}"#)
    }

    @Test("The first mismatched reply is kept in printable form")
    func mismatchedReply() throws {
        let fixture = try load(correlate: nil, expect: ["ok"]) { $0.warmup = .seconds(1) }
        try receive("during the warm-up", on: fixture)
        let early = fixture.context.measurement.mismatchedReply
        expectNil(early)
        // The second message was sent during the warm-up, too.
        try receive("ok", on: fixture, at: Self.start + 2_000_000_000)
        try receive("\u{1B}" + String(repeating: "a", count: 200), on: fixture, at: Self.start + 2_000_000_000)
        try receive("another", on: fixture, at: Self.start + 2_000_000_000)
        let reply = fixture.context.measurement.mismatchedReply
        expectEqual(reply, "\\u{1B}" + String(repeating: "a", count: 119) + "…")
    }

    @Test("A late reply times out, and counts with its full latency when it arrives")
    func late() throws {
        let fixture = try load()
        fixture.context.now = Self.start + 5000
        fixture.context.giveUpReplies(before: Self.start + 1)
        #expect((fixture.tally.errors[.timeout], try fixture.port().sent.count) == (1, 2))
        try receive(#"{"id":1}"#, on: fixture, at: Self.start + 9000)
        #expect((fixture.tally.received, fixture.largestLatency()) == (1, 9000))
    }

    @Test("Requests without a reply are lost when the connection ends")
    func lost() throws {
        let fixture = try load { $0.pace.inFlight = 2 }
        try receive(#"{"id":2}"#, on: fixture)
        let connection: RequestConnection = try fixture.connection(0)
        fixture.workload.ended(connection)
        // Request 1 and the one sent in place of request 2.
        #expect((fixture.tally.received, fixture.tally.lost) == (1, 2))
    }

    // MARK: Replies of several messages

    @Test("A reply of several messages ends with the first that matches, and its latency is the time to that one")
    func stream() throws {
        let fixture = try load(correlate: nil) { $0.replies.end = "end$" }
        for (text, time) in [("a", 1000), ("b", 5000), ("the end", 6000)] as [(String, UInt64)] {
            expectEqual(fixture.tally.received, 0)
            try receive(text, on: fixture, at: Self.start + time)
        }
        #expect((fixture.tally.received, fixture.tally.sent, fixture.tally.pushes) == (1, 2, 0))
        expectEqual(fixture.largestLatency(), 6000)
        try receive("end", on: fixture, at: Self.start + 6500)
        let stream = try #require(fixture.context.measurement.streams?.results)
        let firsts = stream.firstTimes()
        let gaps = stream.longestGaps()
        let counts = stream.messageCounts()
        #expect((firsts.minimum, firsts.maximum) == (500, 1000))
        // The second reply has one message, and so no gap.
        #expect((gaps.totalCount, gaps.maximum) == (1, 4000))
        #expect((counts.minimum, counts.maximum) == (1, 3))
    }

    @Test("The messages of several replies find their requests by the field")
    func streamsByField() throws {
        let fixture = try load {
            $0.pace.inFlight = 2
            $0.messageCount = 2
            $0.replies.end = "json:.done"
        }
        for (text, time) in [
            (#"{"id":2}"#, 1000), (#"{"id":1}"#, 2000), (#"{"event":"push"}"#, 2500), (#"{"id":1,"done":1}"#, 3000),
            (#"{"id":1}"#, 3500), (#"{"id":2,"done":1}"#, 9000),
        ] as [(String, UInt64)] {
            try receive(text, on: fixture, at: Self.start + time)
        }
        #expect((fixture.tally.received, fixture.tally.pushes) == (2, 2))
        let stream = try #require(fixture.context.measurement.streams?.results)
        expectEqual(stream.longestGaps().maximum, 8000)
        expectTrue(fixture.workload.isAnswered)
    }

    @Test("--expect checks the last message of a reply, and a wrong reply has no times")
    func wrongStream() throws {
        let fixture = try load(correlate: nil, expect: ["ok"]) { $0.replies.end = "end" }
        for text in ["ok", "end"] { try receive(text, on: fixture) }
        for text in ["wrong", "end, ok"] { try receive(text, on: fixture) }
        #expect((fixture.tally.received, fixture.tally.mismatched) == (1, 1))
        expectEqual(fixture.context.measurement.streams?.results.messageCounts().totalCount, 1)
    }

    @Test("A reply that never ends times out and is lost")
    func endlessStream() throws {
        let fixture = try load { $0.replies.end = "done" }
        try receive(#"{"id":1}"#, on: fixture)
        fixture.context.now = Self.start + 5000
        fixture.context.giveUpReplies(before: Self.start + 1)
        expectEqual(fixture.tally.errors[.timeout], 1)
        let connection: RequestConnection = try fixture.connection(0)
        fixture.workload.ended(connection)
        #expect((fixture.tally.received, fixture.tally.lost) == (0, 2))
    }

    // MARK: Plans

    private func problem(_ texts: [String], correlate name: String? = nil, inFlight: Int = 1) throws -> String? {
        var plan = LoadPlan(.request)
        plan.messages.templates = try texts.map { try LoadFixture.template($0) }
        plan.replies.correlation = name.flatMap { Correlation($0) }
        plan.pace.inFlight = inFlight
        return plan.problem.map { "\($0.option): \($0.reason)" }
    }

    @Test("A plan needs a request")
    func noRequest() throws {
        try expectEqual(problem([]), "--mode request: no request is given; add --message or --file")
    }

    @Test("With a field, each request needs a value there")
    func noField() throws {
        try expectNil(problem([#"{"id":{{seq}}}"#, "ping"]))
        try expectEqual(
            problem([#"{"id":{{seq}}}"#, "ping"], correlate: "id"),
            #"--correlate id: message 2 has no such JSON field with a string or number; add one, such as {"id":{{seq}}}"#
        )
    }

    @Test("Requests in flight need different values")
    func sameValue() throws {
        try expectNil(problem([#"{"id":7}"#], correlate: "id"))
        try expectEqual(
            problem([#"{"id":7}"#], correlate: "/id", inFlight: 2),
            "--correlate /id: requests in flight would have the same value 7; use {{seq}} to number them")
        try expectNil(problem([#"{"id":"{{seq}}"}"#], correlate: "id", inFlight: 2))
    }
}
