import Glibc
import Testing
import WSCore

@testable import Peer

@Suite struct ProgramOutputTests {
    @Test("Data beyond the share of a turn follows in later turns, in order, even if resumed early")
    func shares() throws {
        let result = try Self.read("seq 20000") { output, loop, bytes in
            output()?.resume()
            return min(bytes.count, 1000)
        }
        #expect(result.text == (1...20000).map { "\($0)\n" }.joined())
        // The last piece of one read and the first piece of the next may be in the same turn.
        let counts = Dictionary(result.turns.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.values.allSatisfy { $0 <= 2 })
    }

    @Test("Unread data waits while reading is paused")
    func paused() throws {
        var timer: Timer?
        let result = try Self.read("seq 5000") { output, loop, bytes in
            output()?.pause()
            timer = Timer(on: loop) { output()?.resume() }
            timer?.start(after: .milliseconds(1))
            return min(bytes.count, 10_000)
        }
        #expect(result.text == (1...5000).map { "\($0)\n" }.joined())
        #expect(timer != nil)
    }

    @Test("A limit is respected: nothing beyond it is read")
    func rest() throws {
        var isSet = false
        let result = try Self.read("exec yes") { output, _, bytes in
            if !isSet { output()?.takeRest(atMost: 200_000) }
            isSet = true
            return bytes.count
        }
        #expect(result.text.utf8.count <= 200_000 + EventLoop.readBufferBytes)
    }

    @Test("A pipe with pending data is not closed as idle")
    func idle() throws {
        var timer: Timer?
        let result = try Self.read("seq 2000") { output, loop, bytes in
            // From the first read on, and more often than reads happen.
            if timer == nil {
                timer = Timer(on: loop) { _ = output()?.closeIfIdle() }
                timer?.start(after: .milliseconds(1), every: .milliseconds(1))
            }
            usleep(200)
            return min(bytes.count, 100)
        }
        #expect(result.text == (1...2000).map { "\($0)\n" }.joined())
    }

    /// The output of a script, and the turns in which `take` received a part of it.
    private static func read(
        _ script: String, take: @escaping (@escaping () -> ProgramOutput?, EventLoop, UnsafeRawBufferPointer) -> Int
    ) throws -> (text: String, turns: [UInt64]) {
        var text: [UInt8] = []
        var turns: [UInt64] = []
        var output: ProgramOutput?
        let loop = try EventLoop()
        var isOver = false
        let process = try PipedProcess(
            ["sh", "-c", script], at: "/bin/sh", environment: [Array("PATH=/usr/bin:/bin".utf8)], on: loop
        ) { _ in }
        output = ProgramOutput(process.output) { span in
            span.withUnsafeBytes { bytes in
                turns.append(loop.turnCount)
                let count = take({ output }, loop, bytes)
                text += bytes.prefix(count)
                return count
            }
        } finish: {
            isOver = true
            process.input.close()
            process.error.close()
        }
        let deadline = loop.now + .seconds(30)
        while !isOver, loop.now < deadline { loop.runOnce() }
        process.process.signalGroup(.kill)
        process.process.waitForExit(atMost: .seconds(5))
        #expect(isOver)
        // It holds `take`, which refers to it.
        output = nil
        return (String(decoding: text, as: UTF8.self), turns)
    }
}
