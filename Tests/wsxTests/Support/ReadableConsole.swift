import Glibc
import Testing
import WSCore

@testable import wsx

/// A pipe that a test reads.
final class ReadablePipe {
    /// The end to write to.
    let writing: Int32
    private let reading: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
        closeReading()
        Glibc.close(writing)
    }

    /// What has been written since this was last called.
    func take() -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = read(reading, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Has the writer find nobody who reads.
    func closeReading() {
        guard !isReadingClosed else { return }
        isReadingClosed = true
        // The writer is to be told by an error.
        signal(SIGPIPE, SIG_IGN)
        Glibc.close(reading)
    }

    private var isReadingClosed = false
}

/// A console whose lines a test reads.
final class ReadableConsole {
    let console: Console
    private let pipe: ReadablePipe

    init(isQuiet: Bool = false) throws {
        let pipe = try ReadablePipe()
        self.pipe = pipe
        console = Console(
            color: .never, isQuiet: isQuiet, log: LogWriter(descriptor: pipe.writing) { "\($0) lines lost\n" },
            environment: { _ in nil })
    }

    /// The lines that have been shown since this was last called.
    func take() -> [String] { pipe.take().split(separator: "\n").map(String.init) }
}
