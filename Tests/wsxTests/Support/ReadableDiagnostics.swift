import Conversation
import Glibc
import Testing
import WSCore

@testable import UserInterface

/// A pipe that a test reads.
final class ReadablePipe {
    /// The write end.
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

    /// The data written since the last call.
    func take() -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = read(reading, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Closes the read end, so writing fails.
    func closeReading() {
        guard !isReadingClosed else { return }
        isReadingClosed = true
        // The writer must get an error instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        Glibc.close(reading)
    }

    private var isReadingClosed = false
}

/// diagnostics with lines that a test reads.
final class ReadableDiagnostics {
    let diagnostics: Diagnostics
    private let pipe: ReadablePipe

    init(isQuiet: Bool = false, isTerminal: Bool = false, columns: Int? = nil, term: String = "xterm") throws {
        let pipe = try ReadablePipe()
        self.pipe = pipe
        diagnostics = Diagnostics(
            color: .never, isQuiet: isQuiet, secrets: SecretRecord(),
            log: LogWriter(descriptor: pipe.writing) { "\($0) lines lost\n" },
            isTerminal: isTerminal, screenSize: { _ in columns.map { ScreenSize(columns: $0, rows: 24) } },
            environment: { $0 == "TERM" ? term : nil })
    }

    /// The bytes written since the last call.
    func takeAll() -> String { pipe.take() }

    /// The lines shown since the last call.
    func take() -> [String] { pipe.take().split(separator: "\n").map(String.init) }
}
