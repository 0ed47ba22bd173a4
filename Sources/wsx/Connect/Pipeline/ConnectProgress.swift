import Formats
import WSCore

/// The progress of a connection attempt. If it takes longer than a second, it is shown on one line of the terminal, once
/// per second:
///
///     Connecting to wss://example.org/: TLS handshake, 3 s (Ctrl-C cancels)
///
/// At a prompt, the same words are in the prompt.
final class ConnectProgress {
    private weak var connections: ConnectionSequence?
    private let console: Console
    private let loop: EventLoop
    private let startTime: Duration
    private lazy var timer = Timer(on: loop) { [unowned self] in show() }

    private static let interval = Duration.seconds(1)
    /// The assumed width of a terminal that does not report its size.
    private static let usualColumns = 80

    /// Starts observing the current attempt of a sequence.
    init(of connections: ConnectionSequence, on loop: EventLoop, console: Console) {
        self.connections = connections
        self.loop = loop
        self.console = console
        startTime = loop.now
        timer.start(after: Self.interval, every: Self.interval)
    }

    /// Stops, and erases the line.
    func stop() {
        timer.stop()
        console.eraseStatus()
    }

    /// The step and the elapsed time for the prompt, or `nil` if there is no attempt.
    var words: String? {
        guard let attempt = connections?.attempt else { return nil }
        let elapsed = loop.now - startTime
        return elapsed < Self.interval ? "connecting" : Self.words(for: attempt.phase, elapsed)
    }

    private func show() {
        guard let attempt = connections?.attempt else { return }
        let columns = ScreenSize.current(isPrompt: false)?.columns ?? Self.usualColumns
        // Leave the last column free: some terminals wrap there.
        console.showStatus(
            Self.line(url: "\(attempt.url)", phase: attempt.phase, elapsed: loop.now - startTime, columns: columns - 1))
    }

    /// The line, with a shortened URL or without one if it is too long.
    /// - Parameter columns: The maximum number of characters.
    static func line(url: String, phase: ConnectError.Phase, elapsed: Duration, columns: Int) -> String {
        let url = escapingControls(url)
        let step = words(for: phase, elapsed)
        let (start, cancel) = ("Connecting to ", " (Ctrl-C cancels)")
        let room = columns - start.count - 2 - step.count - cancel.count
        let target = url.count > room ? DisplayWidth.prefix(of: url, columns: max(0, room - 1)) + "…" : url
        let isUseful = room >= min(url.count, minimumTargetCount)
        // From the longest to the shortest.
        let lines = [
            isUseful ? start + target + ": " + step + cancel : nil, "Connecting: " + step + cancel, step + cancel, step,
        ].compactMap { $0 }
        return lines.first { $0.count <= columns } ?? String(step.prefix(max(0, columns)))
    }

    /// The minimum number of characters for a part of a URL.
    private static let minimumTargetCount = 12

    /// The step and the elapsed time: `TLS handshake, 3 s`.
    private static func words(for phase: ConnectError.Phase, _ elapsed: Duration) -> String {
        "\(words(for: phase)), \(Int((elapsed / .seconds(1)).rounded())) s"
    }

    private static func words(for phase: ConnectError.Phase) -> String {
        switch phase {
        case .resolving: "name lookup"
        case .connecting: "TCP connection"
        case .tunnelling: "proxy handshake"
        case .securing: "TLS handshake"
        case .upgrading: "WebSocket handshake"
        }
    }
}
