import UserInterface
import WSCore

/// The progress of a large message: how much of it the peer has acknowledged, or how much has arrived.
struct TransferProgress {
    /// The message size, in bytes, above which progress is shown.
    static let largeBytes = 1 << 20

    /// The maximum number of unsent bytes since the last time there were none.
    private var largestUnsentBytes = 0

    /// The words for a status, such as `sending 64.0 MiB: 12 %`, or `nil` if no large message is in progress.
    /// - Parameters:
    ///   - unsentBytes: The number of bytes that the peer has not acknowledged.
    ///   - incoming: The progress of a partially received message, or `nil` between messages.
    mutating func words(unsentBytes: Int, incoming: MessageProgress?) -> String? {
        largestUnsentBytes = unsentBytes == 0 ? 0 : max(largestUnsentBytes, unsentBytes)
        if largestUnsentBytes > Self.largeBytes {
            let percent = (largestUnsentBytes - unsentBytes) * 100 / largestUnsentBytes
            return "sending \(TrafficReport.size(largestUnsentBytes)): \(percent) %"
        }
        guard let incoming, max(incoming.bytes, incoming.totalBytes ?? 0) > Self.largeBytes else { return nil }
        let total = incoming.totalBytes.map { " of \(TrafficReport.size($0))" } ?? ""
        return "receiving \(TrafficReport.size(incoming.bytes))\(total)"
    }
}

/// Shows the progress of a large message on a line of the terminal, for runs without a prompt, if it takes longer than a
/// second.
final class TransferStatus {
    private unowned let diagnostics: Diagnostics
    private let loop: EventLoop
    private unowned let connection: Connection<ConnectRun>
    private var progress = TransferProgress()
    private var timer: Timer?

    init(of connection: Connection<ConnectRun>, on loop: EventLoop, diagnostics: Diagnostics) {
        self.connection = connection
        self.loop = loop
        self.diagnostics = diagnostics
    }

    deinit { erase() }

    /// Begins to observe a message that may be large.
    func watch() {
        guard timer == nil else { return }
        // The kernel soon accepts a part.
        _ = progress.words(unsentBytes: connection.unsentBytes, incoming: nil)
        let timer = Timer(on: loop) { [unowned self] in update() }
        self.timer = timer
        timer.start(after: .seconds(1), every: .milliseconds(250))
    }

    /// Takes the line off the terminal, because a message is about to be written.
    func erase() {
        if timer != nil { diagnostics.eraseStatus() }
    }

    private func update() {
        let (unsentBytes, incoming) = (connection.unsentBytes, connection.incomingProgress)
        if let words = progress.words(unsentBytes: unsentBytes, incoming: incoming) {
            let columns = ScreenSize.current(isPrompt: false)?.columns ?? .max
            diagnostics.showStatus(
                String((words.prefix(1).uppercased() + words.dropFirst()).prefix(max(0, columns - 1))))
        } else {
            diagnostics.eraseStatus()
            if unsentBytes == 0, incoming == nil { timer = nil }
        }
    }
}
