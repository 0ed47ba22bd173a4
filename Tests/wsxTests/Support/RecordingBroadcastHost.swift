import WSCore

@testable import Listen

/// Clients and an input without connections, which record calls.
final class RecordingBroadcastHost: BroadcastHost {
    let loop: EventLoop
    /// What the clients have taken, by client number.
    var readingStates: [Int: ReadingState] = [:]
    /// The senders, and the input as `nil`, that have something to send.
    var heldUp: Set<Int?> = []
    /// Called when the senders that wait are requested.
    var willLook: () -> Void = {}
    /// Called when a sender is resumed.
    var didResume: (Int?) -> Void = { _ in }
    /// The senders that were paused and resumed, in order; `nil` is the input.
    var paused: [Int?] = []
    var resumed: [Int?] = []
    var closed: [String] = []
    /// The calls for all clients.
    var log: [String] = []
    /// The paths of clients; the others share one.
    var paths: [Int: String] = [:]

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func fullReaders(but sender: Int?) -> [Int] {
        readingStates.filter { reaches($0, from: sender) && $1.isFull }.map(\.key)
    }

    var staysOnPath: Bool { !paths.isEmpty }

    func reaches(_ reader: Int, from sender: Int?) -> Bool {
        sender.map { $0 != reader && paths[$0] == paths[reader] } ?? true
    }

    func isHeldUp(_ sender: Int?) -> Bool {
        if sender == nil { willLook() }
        return heldUp.contains(sender)
    }

    func pauseSender(_ sender: Int?, for reason: PauseReasons) { paused.append(sender) }

    func resumeSender(_ sender: Int?, after reason: PauseReasons) {
        resumed.append(sender)
        didResume(sender)
    }

    func pauseClients(for reason: PauseReasons) { log.append("pause clients") }

    func resumeClients(after reason: PauseReasons) { log.append("resume clients") }

    func close(slowReader reader: Int, because fault: String) {
        closed.append("\(reader) \(fault)")
        readingStates[reader] = nil
    }
}
