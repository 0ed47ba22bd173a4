import WSCore

/// What the prompt says besides being one: that there is no connection, when the next try is, or how much of a large
/// message is on its way.
///
///     (reconnecting in 3 s) >
///     (receiving 12.3 MiB of 64.0 MiB) >
final class PromptStatus {
    /// Where the run stands.
    enum Base {
        case connected
        case connecting
        case disconnected
        /// The next try is due at a time of the loop.
        case waiting(until: Duration)
    }

    /// Where the run stands.
    var base = Base.connected {
        didSet {
            largestQueueBytes = 0
            timer = nil
            update()
        }
    }

    /// A message of more bytes than this has its progress shown, when it takes long enough to be seen.
    static let largeBytes = 1 << 20
    private static let interval = Duration.milliseconds(250)

    private unowned let connection: any PromptConnection
    private let loop: EventLoop
    private let show: (String?) -> Void
    private var timer: Timer?
    /// The most that waited to be sent since there was nothing, in bytes.
    private var largestQueueBytes = 0

    /// Says nothing yet.
    /// - Parameter show: Shows the words for the status; nil: there are none.
    init(of connection: any PromptConnection, on loop: EventLoop, show: @escaping (String?) -> Void) {
        self.connection = connection
        self.loop = loop
        self.show = show
    }

    /// Watches the progress of an arriving frame if it is large.
    func frameBegan(_ header: FrameHeader) {
        if header.payloadBytes > Self.largeBytes || header.opcode == .continuation { watch() }
    }

    /// Looks at the progress of what has just been sent, until it has left. Not to be called while a message is handed
    /// over.
    func watchSending() {
        largestQueueBytes = max(largestQueueBytes, connection.queuedBytes)
        watch()
    }

    /// Looks at a message's progress from now on, until there is none.
    func watch() {
        guard timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in update() }
        self.timer = timer
        timer.start(after: Self.interval, every: Self.interval)
    }

    private func update() {
        show(words)
    }

    /// What is in the parentheses; nil: there is nothing to say, nor will there be without ``watch()``.
    private var words: String? {
        switch base {
        case .connected: return progress
        case .connecting: return "connecting"
        case .disconnected: return "disconnected"
        case .waiting(let time):
            watch()
            // Rounded up: it is 0 when it is due.
            let seconds = max(0, Int(((time - loop.now) / .seconds(1)).rounded(.up)))
            return "reconnecting in \(seconds) s"
        }
    }

    private var progress: String? {
        guard timer != nil else { return nil }
        let queuedBytes = connection.queuedBytes
        largestQueueBytes = max(largestQueueBytes, queuedBytes)
        if queuedBytes > 0, largestQueueBytes > Self.largeBytes {
            let percent = (largestQueueBytes - queuedBytes) * 100 / largestQueueBytes
            return "sending \(TrafficReport.size(largestQueueBytes)): \(percent) %"
        }
        largestQueueBytes = 0
        guard let incoming = connection.incomingProgress else {
            timer = nil
            return nil
        }
        guard max(incoming.bytes, incoming.totalBytes ?? 0) > Self.largeBytes else { return nil }
        let total = incoming.totalBytes.map { " of \(TrafficReport.size($0))" } ?? ""
        return "receiving \(TrafficReport.size(incoming.bytes))\(total)"
    }
}
