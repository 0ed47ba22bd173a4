import Formats
import WSCore

/// Limits the messages that a prompt shows as they arrive: none during a pause, and only samples of a flood.
final class DisplayGate {
    /// The number of messages that arrived since the display was paused, or `nil` if it is not paused.
    var pausedCount: Int?
    private var flood = FloodGate()
    private lazy var timer = Timer(on: loop) { [unowned self] in intervalEnded() }
    private let diagnostics: Diagnostics
    private let loop: EventLoop

    /// Creates an open gate.
    init(diagnostics: Diagnostics, on loop: EventLoop) {
        self.diagnostics = diagnostics
        self.loop = loop
    }

    /// Counts a message that the user has not just typed, and returns whether to show it.
    func admits(at now: Duration) -> Bool {
        if let count = pausedCount {
            pausedCount = count + 1
            return false
        }
        guard !flood.admits(at: now) else { return true }
        if flood.hiddenCount == 1 { timer.start(after: max(.zero, flood.intervalEnd - now)) }
        return false
    }

    private func intervalEnded() {
        let (count, length) = flood.endInterval(at: loop.now)
        if count > 0, pausedCount == nil {
            let seconds = Int((length / .milliseconds(100)).rounded())
            let time = seconds % 10 == 0 ? "\(seconds / 10)" : "\(seconds / 10).\(seconds % 10)"
            let words = "\(Glyphs.ellipsis) \(Phrase.grouped(count)) more messages in \(time) s; /tail shows the latest"
            diagnostics.show(paragraph: words, as: .quiet)
        }
        if flood.continues { timer.start(after: FloodGate.interval) }
    }
}
