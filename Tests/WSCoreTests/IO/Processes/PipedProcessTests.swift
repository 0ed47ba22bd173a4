import Glibc
import TestSupport
import Testing

@testable import WSCore

@Suite struct PipedProcessTests {
    @Test("pipes connect to a program's standard input, output, and error")
    func pipes() throws {
        let loop = try EventLoop()
        var exit: ChildProcess.Exit?
        let process = try PipedProcess(
            ["sh", "-c", "cat; echo $NAME >&2"], at: "/bin/sh",
            environment: ["NAME=value", "PATH=/usr/bin:/bin"].map { Array($0.utf8) }, on: loop
        ) { exit = $0 }
        let (output, errors) = (Collector(), Collector())
        process.output.delegate = output
        process.error.delegate = errors
        process.output.startReading()
        process.error.startReading()
        var bytes = ByteBuffer()
        bytes.append("through")
        try process.input.write(&bytes)
        process.input.close()
        loop.run { exit != nil && output.hasEnded && errors.hasEnded }
        expectEqual(exit, .status(0))
        expectEqual(String(decoding: output.bytes, as: UTF8.self), "through")
        expectEqual(String(decoding: errors.bytes, as: UTF8.self), "value\n")
        process.output.close()
        process.error.close()
        loop.runOnce()
    }

    @Test("a signal to the group ends all its processes")
    func group() throws {
        let loop = try EventLoop()
        var exit: ChildProcess.Exit?
        let process = try PipedProcess(
            ["sh", "-c", "sleep 1000 & echo; sleep 1000"], at: "/bin/sh",
            environment: [Array("PATH=/usr/bin:/bin".utf8)], on: loop
        ) { exit = $0 }
        let output = Collector()
        process.output.delegate = output
        process.output.startReading()
        loop.run { !output.bytes.isEmpty }
        expectEqual(getpgid(process.process.identifier), process.process.identifier)
        expectEqual(getsid(process.process.identifier), process.process.identifier)
        expectTrue(process.process.hasGroup)
        process.process.signalGroup(.terminate)
        // Both processes hold the pipe, so it ends with the last of them.
        loop.run { exit != nil && output.hasEnded }
        expectEqual(exit, .signal(15))
        for stream in [process.input, process.output, process.error] { stream.close() }
        loop.runOnce()
    }

    @Test("a program that cannot be started leaks no descriptors")
    func missing() throws {
        let loop = try EventLoop()
        let before = openDescriptorCount()
        for _ in 0..<300 {
            #expect(throws: IOError.noSuchFile) {
                _ = try PipedProcess(["x"], at: "/no/such/program", environment: [], on: loop) { _ in }
            }
            loop.runOnce()
        }
        // Other tests open and close descriptors of this process, but not so many.
        loop.run { openDescriptorCount() < before + 150 }
    }

    private func openDescriptorCount() -> Int {
        (0..<Int32(8192)).count { fcntl($0, F_GETFD) != -1 }
    }

    private final class Collector: ByteStreamDelegate {
        var bytes: [UInt8] = []
        var hasEnded = false

        func stream(_ stream: any ByteStream, didRead bytes: inout MutableRawSpan) {
            self.bytes += bytes.bytes.withUnsafeBytes { Array($0) }
        }
        func streamDidReachEnd(_ stream: any ByteStream) { hasEnded = true }
        func streamDidDrain(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didFailToRead error: StreamError) { hasEnded = true }
        func stream(_ stream: any ByteStream, didFailToWrite error: StreamError) {}
    }
}
