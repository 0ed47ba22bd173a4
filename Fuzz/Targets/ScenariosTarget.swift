import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// A scenario file, which is then played against a peer that sends the lines of the file back.
    ///
    /// - An error is one line that is safe to show, and names a position in the file.
    /// - A valid scenario has steps, and every line of the file has at most one.
    /// - Playing it ends no step twice, and comes to an end or waits.
    static let scenarios = FuzzTarget(name: "scenarios") { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var options = ScenarioOptions(
            parseDuration: { text in Int(text.prefix(4)).map { .milliseconds($0) } },
            parseRange: { text in Int(text.prefix(4)).map { .zero ... .milliseconds($0) } })
        options.playsPeer = input.count.isMultiple(of: 2)
        let scenario: Scenario
        do throws(ScenarioError) {
            scenario = try Scenario(input.span.bytes, options)
        } catch {
            expectOneSafeLine("\(error)")
            expect(1...max(1, lines.count) ~= error.line && 1...input.count + 1 ~= error.column, "position: \(error)")
            return
        }
        expect(!scenario.steps.isEmpty && scenario.steps.count <= lines.count, "the number of steps")
        expect(scenario.steps.indices.contains(scenario.repeatStart), "the start of the repetition")
        var player = ScenarioPlayer(
            scenario, connection: 1, defaultTimeout: .seconds(1), repeats: true, clockOffset: 0, seed: 1)
        let port = CountingPort()
        var now: UInt64 = 0
        player.start(at: now, port)
        for line in lines {
            Array(line).withUnsafeBytes { player.received($0.bytes, as: .text, at: now, port) }
            player.received(control: line.count.isMultiple(of: 2) ? .ping : .pong, at: now, port)
            player.advance(at: now, port)
            guard let deadline = player.deadline else { break }
            now = max(now, deadline)
            player.timePassed(at: now, port)
        }
        player.connectionEnded(.closed(CloseFrame(code: .normalClosure)), at: now, port)
        if case .failed(let failure) = player.phase { expectOneSafeLine("\(failure)") }
        if case .step = player.phase { expect(false, "a step outlives the connection") }
    }

    /// Accepts a number of messages, so that a scenario without waits comes to an end.
    private final class CountingPort: ScenarioPlayer.Port {
        private var room = 1000

        private func take() -> Bool {
            room -= 1
            return room > 0
        }

        func send(_ payload: RawSpan, as kind: MessageKind) -> Bool { take() }
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool { take() }
        func close(_ frame: CloseFrame) -> Bool { take() }
        func drop() {}
    }
}
