import Testing
import WSCore

@testable import Listen
@testable import Peer
@testable import UserInterface

@Suite struct ListenOutputsTests {
    @Test("Messages go to standard output, and a full one pauses all clients until it is read")
    func backPressure() throws {
        try withOutputs { fixture in
            let message = [UInt8](repeating: 0x61, count: 64 << 10)
            var count = 0
            while fixture.senders.paused.isEmpty, count < 100 {
                fixture.outputs.received(message.span.bytes, as: .text, from: 1)
                count += 1
            }
            #expect(fixture.outputs.isFull && !fixture.outputs.isDrained)
            #expect(fixture.senders.log == ["pause clients"] && fixture.senders.paused == [1, 1])
            // A client that connected later waits as well; the others are not paused again.
            fixture.outputs.received(message.span.bytes, as: .text, from: 2)
            #expect(fixture.senders.log == ["pause clients"] && fixture.senders.paused == [1, 1, 2, 2])
            var readBytes = 0
            fixture.loop.turn {
                readBytes += fixture.pipe.take().utf8.count
                return !fixture.senders.resumed.isEmpty
            }
            #expect(readBytes == (count + 1) * (message.count + 1))
            #expect(fixture.senders.log == ["pause clients", "resume clients"])
            #expect(Set(fixture.senders.resumed) == [1, 2])
            #expect(fixture.outputs.isDrained && fixture.drainCount > 0)
        }
    }

    @Test("When the server ends, clients resume even if an output is full")
    func release() throws {
        try withOutputs { fixture in
            let message = [UInt8](repeating: 0x61, count: 2 << 20)
            fixture.outputs.received(message.span.bytes, as: .text, from: 1)
            fixture.outputs.releaseClients()
            #expect(fixture.outputs.isFull)
            #expect(fixture.senders.log == ["pause clients", "resume clients"])
        }
    }

    @Test("A reader that closes the pipe is a normal end")
    func brokenPipe() throws {
        try withOutputs { fixture in
            fixture.pipe.closeReading()
            fixture.outputs.received(RawSpan(), as: .text, from: 1)
            fixture.outputs.flush()
            fixture.loop.turn { !fixture.failures.isEmpty }
            #expect(fixture.failures.count == 1 && fixture.failures.first??.message == nil)
        }
    }

    @Test("Sent and received messages are recorded")
    func recording() throws {
        try withFile([]) { path in
            try withOutputs({ $0.transcript.recordPath = path }) { fixture in
                let outputs = fixture.outputs
                #expect(outputs.isRecording && outputs.observesMessages && !outputs.isRecordingFull)
                let payload = Array("x".utf8)
                outputs.received(payload.span.bytes, as: .text, from: 1)
                outputs.answered(payload.span.bytes, as: .text, to: 1)
                outputs.record(payload.span.bytes, as: .binary, to: [1, 2])
                outputs.record(control: .ping, payload.span.bytes, to: 2)
                outputs.received(control: .pong, payload.span.bytes, roundTrip: .milliseconds(3), from: 2)
                outputs.record(close: CloseFrame(code: .goingAway), to: 2)
                outputs.flush()
            }
            let lines = String(decoding: try File.read(path), as: UTF8.self).split(separator: "\n").map(String.init)
            let expected = [
                [#""type":"recording""#], [#""direction":"in""#, #""client":1"#],
                [#""direction":"out""#, #""client":1"#],
                [#""direction":"out""#, #""opcode":"binary""#, #""client":1"#],
                [#""opcode":"binary""#, #""client":2"#],
                [#""type":"ping""#, #""direction":"out""#], [#""type":"pong""#, #""rtt_us":3000"#],
                [#""type":"close""#, #""code":1001"#],
            ]
            #expect(lines.count == expected.count)
            for (line, parts) in zip(lines, expected) { #expect(parts.allSatisfy(line.contains), "\(line)") }
        }
    }

    @Test("A failing recording ends the server; an invalid path is rejected")
    func badRecording() throws {
        try withOutputs({ $0.transcript.recordPath = "/dev/full" }) { fixture in
            fixture.outputs.received(RawSpan(), as: .text, from: 1)
            fixture.loop.turn { !fixture.failures.isEmpty }
            #expect(fixture.failures.first??.message?.contains("/dev/full") ?? false)
            #expect(!fixture.outputs.isRecording)
        }
        expectMessage(beginning: "--record /nowhere/at/all: ") { () throws(Failure) in
            var arguments = ListenArguments()
            arguments.transcript.recordPath = "/nowhere/at/all"
            guard let loop = try? EventLoop(), let diagnostics = try? ReadableDiagnostics().diagnostics else { return }
            _ = try ListenOutputs(
                arguments, isPrompt: false, to: nil, faults: Faults(arguments, diagnostics: diagnostics, on: loop),
                diagnostics: diagnostics, on: loop)
        }
    }

    @Test("--verbose shows control frames, and given twice also sent messages")
    func transcript() throws {
        let payload = Array("x".utf8)
        for (verbosity, shown) in [
            (0, []), (1, ["#1 ← ping      1 B  x", "#1 ← close  1000    normal closure", "#1 → ping      1 B  h"]),
            (
                2,
                [
                    "#1 ← ping      1 B  x", "#1 ← close  1000    normal closure", "#1 → ping      1 B  h",
                    "#1 → text      1 B  x", "#1 → text      1 B  x", "→ text      1 B  x",
                ]
            ),
        ] as [(Int, [String])] {
            try withOutputs({ $0.transcript.verbosity = verbosity }) { fixture in
                let outputs = fixture.outputs
                outputs.received(control: .ping, payload.span.bytes, roundTrip: nil, from: 1)
                outputs.received(close: CloseFrame(code: .normalClosure), from: 1)
                outputs.sentHeartbeat(Array("h".utf8), to: 1)
                outputs.answered(payload.span.bytes, as: .text, to: 1)
                outputs.showInput(.message(.text), payload.span.bytes, to: 1)
                if outputs.showsBroadcasts { outputs.show(sent: .message(.text), payload.span.bytes, client: nil) }
                #expect(fixture.diagnostics.take() == shown)
                #expect((outputs.makeTrace(ofClient: 1) != nil) == (verbosity > 1))
            }
        }
    }

    @Test("Typed messages are always shown")
    func typed() throws {
        try withOutputs { fixture in
            let payload = Array("x".utf8)
            for item in [.ping, .pong, .close(CloseFrame(code: .goingAway)), .close(nil)] as [InputItem] {
                fixture.outputs.show(sent: item, payload.span.bytes, client: 2)
            }
            #expect(
                fixture.diagnostics.take()
                    == ["#2 → ping      1 B  x", "#2 → pong      1 B  x", "#2 → close  1001    going away"])
            fixture.outputs.showInput(.ping, payload.span.bytes, to: 2)
            #expect(fixture.diagnostics.take() == [])
        }
    }

    private func withOutputs(
        _ change: (inout ListenArguments) -> Void = { _ in }, _ body: (OutputsFixture) throws -> Void
    ) throws {
        var arguments = ListenArguments()
        arguments.transcript.timestamps = .off
        change(&arguments)
        let fixture = try OutputsFixture(arguments)
        defer { fixture.close() }
        try body(fixture)
    }

    private func expectMessage(beginning: String, _ body: () throws(Failure) -> Void) {
        do throws(Failure) {
            try body()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.message?.hasPrefix(beginning) ?? false, "\(error.message ?? "")")
        }
    }
}

/// Outputs that write to a pipe, and their calls.
private final class OutputsFixture {
    let loop: EventLoop
    let pipe: ReadablePipe
    let diagnostics: ReadableDiagnostics
    let senders: RecordingBroadcastHost
    let outputs: ListenOutputs
    var drainCount = 0
    var failures: [Failure?] = []

    init(_ arguments: ListenArguments) throws {
        loop = try EventLoop()
        pipe = try ReadablePipe()
        diagnostics = try ReadableDiagnostics()
        senders = RecordingBroadcastHost(on: loop)
        let faults = Faults(arguments, diagnostics: diagnostics.diagnostics, on: loop)
        outputs = try ListenOutputs(
            arguments, isPrompt: false, to: pipe.writing, faults: faults, diagnostics: diagnostics.diagnostics, on: loop
        )
        outputs.senders = senders
        outputs.didDrain = { [unowned self] in drainCount += 1 }
        outputs.didFail = { [unowned self] in failures.append($0) }
    }

    /// Ends the recording, and closes the pipe, which closes its writer.
    func close() {
        outputs.recording.stop()
        pipe.closeReading()
        loop.settle()
    }
}
