import Formats
import Peer
import UserInterface
import WSCore

/// The progress of a connection attempt. If it takes longer than a second, it is shown on one line of the terminal, once
/// per second:
///
///     Connecting to wss://example.org/: TLS handshake, 3 s (Ctrl-C cancels)
///
/// What the user types meanwhile is hidden, because it would end up in this line. The prompt shows it when it opens.
///
/// At a prompt, the same words are in the prompt.
final class ConnectProgress {
    private weak var connections: ConnectionSequence?
    private let diagnostics: Diagnostics
    private let loop: EventLoop
    private let startTime: Duration
    private lazy var timer = Timer(on: loop) { [unowned self] in show() }
    private var hiddenInput: HiddenInput?

    private static let interval = Duration.seconds(1)
    /// The assumed width of a terminal that does not report its size.
    private static let usualColumns = 80

    /// Starts observing the current attempt of a sequence.
    init(of connections: ConnectionSequence, on loop: EventLoop, diagnostics: Diagnostics) {
        self.connections = connections
        self.loop = loop
        self.diagnostics = diagnostics
        startTime = loop.now
        timer.start(after: Self.interval, every: Self.interval)
    }

    /// Stops, and erases the line.
    func stop() {
        timer.stop()
        diagnostics.eraseStatus()
        hiddenInput = nil
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
        let isShown = diagnostics.showStatus(
            Self.line(
                url: "\(attempt.url)", phase: attempt.phase, elapsed: loop.now - startTime, columns: columns - 1))
        guard isShown else { return }
        if let hiddenInput { hiddenInput.hide() } else { hiddenInput = HiddenInput(at: StandardDescriptors.input) }
    }

    /// The line. In a narrow window, the step and a part of the target give way to the time and how to cancel.
    /// - Parameter columns: The maximum number of characters.
    static func line(url: String, phase: ConnectError.Phase?, elapsed: Duration, columns: Int) -> String {
        let url = escapingControls(url)
        let afterScheme = url.utf8.drop { $0 != UInt8(ascii: "/") }
        let host = afterScheme.starts(with: "//".utf8) ? String(Substring(afterScheme.dropFirst(2))) : url
        let (step, time) = (words(for: phase, elapsed), seconds(elapsed))
        let cancel = "(Ctrl-C cancels)"
        return line("Connecting to ", url, ": \(step) \(cancel)", minimum: 12, columns)
            ?? line("", host, ": \(step) \(cancel)", minimum: 12, columns)
            ?? line("", host, ": \(time) \(cancel)", minimum: 5, columns)
            ?? String("\(time) \(cancel)".prefix(max(0, columns)))
    }

    /// The line with a target that is shortened to fit, or `nil` if less than a useful part of it would be left.
    /// - Parameter minimum: The number of characters of a useful part.
    private static func line(
        _ start: String, _ target: String, _ end: String, minimum: Int, _ columns: Int
    ) -> String? {
        let room = columns - start.count - end.count
        guard room >= min(target.count, minimum) else { return nil }
        let isWhole = target.count <= room
        return start + (isWhole ? target : DisplayWidth.prefix(of: target, columns: room - 1) + Glyphs.ellipsis) + end
    }

    /// The step and the elapsed time: `TLS handshake, 3 s`.
    private static func words(for phase: ConnectError.Phase?, _ elapsed: Duration) -> String {
        "\(words(for: phase)), \(seconds(elapsed))"
    }

    private static func seconds(_ elapsed: Duration) -> String { "\(Int((elapsed / .seconds(1)).rounded())) s" }

    private static func words(for phase: ConnectError.Phase?) -> String {
        switch phase {
        case nil: "program of exec:"
        case .resolving: "name lookup"
        case .connecting: "TCP connection"
        case .tunnelling: "proxy handshake"
        case .securing: "TLS handshake"
        case .upgrading: "WebSocket handshake"
        }
    }
}
