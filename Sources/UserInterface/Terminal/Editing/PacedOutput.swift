import WSCore

/// The output that waits for the next redraw of a prompt.
///
/// Output collects between redraws: thousands of messages per second cause only sixty redraws, and a single message
/// appears immediately.
final class PacedOutput {
    /// Called when text that had to wait may be taken.
    var isDue: () -> Void = {}
    private var text = ""
    private let loop: EventLoop
    /// The loop's time when text was last taken.
    private var lastTaken: Duration?
    private lazy var timer = Timer(on: loop) { [unowned self] in isDue() }

    /// The minimum time between redraws.
    private static let interval = Duration.milliseconds(16)

    /// Creates an empty output.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    var isEmpty: Bool { text.isEmpty }
    var byteCount: Int { text.utf8.count }

    func append(_ text: String) {
        self.text += text
    }

    /// Takes the text, or returns `nil` if there is none or it has to wait.
    func take() -> String? {
        guard !text.isEmpty else { return nil }
        let now = loop.now
        if let lastTaken, now - lastTaken < Self.interval {
            timer.start(after: Self.interval - (now - lastTaken))
            return nil
        }
        lastTaken = now
        return takeAll()
    }

    /// Takes the text without waiting.
    func takeAll() -> String {
        defer { text = "" }
        return text
    }
}
