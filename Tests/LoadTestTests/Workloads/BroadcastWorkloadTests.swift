import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct BroadcastWorkloadTests {
    private static let start = LoadFixture.start
    private static let run: UInt32 = 7

    /// Two publishers among the five connections.
    private func makeFixture(connected: [UInt64], shard: Shard = Shard(index: 0, count: 1)) -> LoadFixture {
        LoadFixture(.broadcast, shard: shard, connected: connected) {
            $0.connections.publisherCount = 2
            $0.connections.count = 5
        }
    }

    /// Passes a message of the second publisher to a reader.
    private func receive(
        _ number: UInt32, run: UInt32 = Self.run, isDamaged: Bool = false, on reader: BroadcastConnection
    ) {
        var message = DeliveryMessage(byteCount: 48, run: run)
        message.set(DeliveryMessage.Stamp(run: run, number: number, publisher: 1, time: Self.start))
        var bytes = message.withBytes { span in span.withUnsafeBytes { Array($0) } }
        if isDamaged { bytes[47] ^= 1 }
        bytes.withUnsafeBytes { reader.receive($0.bytes, as: .text) }
    }

    @Test("The publishers take turns, by default ten times per second; readers send nothing")
    func publishing() throws {
        let fixture = makeFixture(connected: [0, 1, 2])
        fixture.context.now = Self.start + 250_000_000
        fixture.workload.sendDue()
        try expectEqual([0, 1, 2].map { try fixture.port($0).sent.count }, [2, 1, 0])
        expectEqual(fixture.host.requests, ["wake \(Self.start + 300_000_000)"])
        expectEqual(fixture.workload.readerCount, 1)
    }

    @Test("Each delivery has a latency; missing, late, and duplicate messages are counted")
    func deliveries() throws {
        let fixture = makeFixture(connected: [2])
        let reader: BroadcastConnection = try fixture.connection(2)
        fixture.context.now = Self.start + 1700
        for number: UInt32 in [0, 2, 1, 1] { receive(number, on: reader) }
        let tally = fixture.tally
        #expect((tally.received, tally.reordered, tally.duplicated, tally.mismatched) == (3, 1, 1, 0))
        expectEqual(fixture.largestLatency(), 1700)
    }

    /// A fixture with messages of these templates.
    private func makeFixture(_ texts: String...) throws -> LoadFixture {
        var variables = VariableNames()
        let slot = try variables.add(MarkedMessage.variable)
        let templates = try texts.map { try Template($0, variables: variables, environment: { _ in nil }) }
        expectEqual(slot, 0)
        return LoadFixture(.broadcast, connected: [0, 2]) {
            $0.connections.publisherCount = 1
            $0.connections.count = 3
            $0.messages.variables = variables
            $0.messages.templates = templates
        }
    }

    @Test("A marker is found in any envelope, and each of several; an altered one is wrong")
    func markers() throws {
        let fixture = try makeFixture("join", #"{"text":"{{marker}}"}"#)
        let reader: BroadcastConnection = try fixture.connection(2)
        try expectEqual([0, 2].map { try fixture.port($0).sent }, [[Array("join".utf8)], [Array("join".utf8)]])
        fixture.context.now = Self.start + 250_000_000
        fixture.workload.sendDue()
        let sent = try fixture.port(0).sent.dropFirst()
        #expect(sent.count == 3 && sent.allSatisfy { $0.count == 59 })
        fixture.context.now += 1700
        func receive(_ text: [UInt8]) { text.withUnsafeBytes { reader.receive($0.bytes, as: .text) } }
        receive(Array(#"[4,"room",{"from":1,"message":"#.utf8) + Array(sent)[0] + Array("}]".utf8))
        receive(Array(sent)[2] + Array(sent)[1])
        #expect((fixture.tally.received, fixture.tally.reordered) == (3, 1))
        receive(Array("greeting".utf8))
        #expect(fixture.tally.isFlawless == false && fixture.tally.mismatched == 0)
        receive(Array(sent)[0].dropLast(4))
        expectEqual(fixture.tally.mismatched, 1)
    }

    @Test("A damaged delivery is counted; messages of other runs and to publishers are not")
    func others() throws {
        let fixture = makeFixture(connected: [0, 2])
        let (publisher, reader): (BroadcastConnection, BroadcastConnection) = try (
            fixture.connection(0), fixture.connection(2)
        )
        receive(0, on: publisher)
        receive(0, run: Self.run ^ 1, on: reader)
        expectTrue(fixture.tally.isFlawless)
        expectEqual(fixture.tally.received, 0)
        receive(0, isDamaged: true, on: reader)
        expectEqual(fixture.tally.mismatched, 1)
    }

    @Test("The run waits for readers until each has all messages of all threads")
    func end() throws {
        let fixture = makeFixture(connected: [0, 2, 3])
        expectFalse(fixture.workload.isAnswered)
        fixture.context.phase = .draining
        fixture.workload.allSent(1)
        receive(0, on: try fixture.connection(2))
        expectFalse(fixture.workload.isAnswered)
        receive(0, on: try fixture.connection(3))
        expectTrue(fixture.workload.isAnswered)
        expectEqual(fixture.host.requests, ["close if answered", "close if answered", "close if answered"])
    }

    @Test("A thread with only readers continues until the others have sent everything")
    func readersAlone() {
        let fixture = makeFixture(connected: [2], shard: Shard(index: 2, count: 3))
        expectEqual(fixture.host.requests, ["all is sent"])
        expectFalse(fixture.workload.isDeserted)
        fixture.workload.allSent(0)
        expectEqual(fixture.host.requests, ["all is sent", "drain"])
    }

    @Test("A plan needs a reader, and messages with room for the stamp")
    func plans() {
        var plan = LoadPlan(.broadcast)
        expectEqual(plan.problem?.option, "--publishers 1")
        plan.connections.count = 2
        expectNil(plan.problem)
        plan.messages.sizeBytes = 47
        expectEqual(plan.problem?.option, "--size 47")
    }

    @Test("A delivery that arrives before the load begins on the thread of its reader is not lost")
    func early() throws {
        let fixture = makeFixture(connected: [2])
        fixture.context.phase = .ready
        fixture.context.now = Self.start + 300
        receive(0, on: try fixture.connection(2))
        expectEqual(fixture.tally.received, 0)
        fixture.context.now = Self.start + 900
        fixture.context.begin(fixture.workload, at: Self.start)
        fixture.workload.begin()
        fixture.workload.allSent(1)
        #expect((fixture.tally.received, fixture.workload.isAnswered) == (1, true))
        expectEqual(fixture.largestLatency(), 300)
    }
}
