import Formats
import WSCore

/// Shows a connection attempt that takes longer than a second on one line of the terminal, once per second:
///
///     Connecting to wss://example.org/: TLS handshake, 3 s (Ctrl-C cancels)
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

    private func show() {
        guard let attempt = connections?.attempt else { return }
        let columns = ScreenSize.current(isPrompt: false)?.columns ?? Self.usualColumns
        // Leave the last column free: some terminals wrap there.
        console.showStatus(
            Self.line(url: "\(attempt.url)", phase: attempt.phase, elapsed: loop.now - startTime, columns: columns - 1))
    }

    /// The line, with a shortened URL if it is too long.
    /// - Parameter columns: The maximum number of characters.
    static func line(url: String, phase: ConnectError.Phase, elapsed: Duration, columns: Int) -> String {
        let url = escapingControls(url)
        let rest = ": \(words(for: phase)), \(Int((elapsed / .seconds(1)).rounded())) s (Ctrl-C cancels)"
        let start = "Connecting to "
        let room = columns - start.count - rest.count
        guard url.count > room else { return start + url + rest }
        return String((start + url.prefix(max(0, room - 1)) + "…" + rest).prefix(max(0, columns)))
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
