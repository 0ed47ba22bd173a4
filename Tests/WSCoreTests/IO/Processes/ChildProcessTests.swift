import TestSupport
import Testing

@testable import WSCore

@Suite struct ChildProcessTests {
    @Test("a program's exit reports its status, or the number of the signal that killed it")
    func exits() throws {
        try expectEqual(Self.exit(of: "exit 0"), .status(0))
        try expectEqual(Self.exit(of: "exit 7"), .status(7))
        try expectEqual(Self.exit(of: "kill -9 $$"), .signal(9))
    }

    @Test("a missing program cannot be started")
    func missing() throws {
        let loop = try EventLoop()
        #expect(throws: IOError.noSuchFile) {
            _ = try ChildProcess(["/no/such/program"], on: loop) { _ in }
        }
        loop.runOnce()
    }

    @Test("the given descriptors become the program's standard streams")
    func descriptors() throws {
        let (toChild, fromChild) = (try makePipe(), try makePipe())
        defer { closeAll(toChild.readEnd, fromChild.readEnd, fromChild.writeEnd) }
        writeAll(Array("through".utf8), to: toChild.writeEnd)
        closeAll(toChild.writeEnd)
        let streams = ChildProcess.StandardStreams(input: toChild.readEnd, output: fromChild.writeEnd)
        try expectEqual(Self.exit(of: "cat", streams: streams), .status(0))
        expectEqual(readSome(fromChild.readEnd), Array("through".utf8))
    }

    @Test("a running program can be terminated and waited for without running the loop")
    func terminate() throws {
        let loop = try EventLoop()
        var exit: ChildProcess.Exit?
        let child = try ChildProcess(["sleep", "100"], on: loop) { exit = $0 }
        expectNil(child.exit)
        child.terminate()
        child.waitForExit(atMost: .seconds(20))
        loop.run { exit != nil }
        expectEqual(exit, .signal(15))
        expectEqual(child.exit, exit)
        child.terminate()
    }

    private static func exit(
        of script: String, streams: ChildProcess.StandardStreams = ChildProcess.StandardStreams()
    ) throws -> ChildProcess.Exit? {
        let loop = try EventLoop()
        var exit: ChildProcess.Exit?
        let child = try ChildProcess(["sh", "-c", script], streams: streams, on: loop) { exit = $0 }
        loop.run { exit != nil }
        return withExtendedLifetime(child) { exit }
    }
}
