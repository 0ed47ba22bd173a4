import WSCore

@testable import wsx

/// Clients and an input without connections, which record calls.
final class RecordingBroadcastHost: BroadcastHost {
    let loop: EventLoop
    var clientCount = 2
    /// The unsent bytes of the clients with full queues, by client number.
    var unsentBytes: [Int: Int] = [:]
    /// Called when a client's unsent bytes are requested.
    var willLook: (Int) -> Void = { _ in }
    /// Called when a sender is resumed.
    var didResume: (Int?) -> Void = { _ in }
    /// The senders that were paused and resumed, in order; `nil` is the input.
    var paused: [Int?] = []
    var resumed: [Int?] = []
    var closed: [String] = []
    /// The calls for all clients.
    var log: [String] = []

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func fullReaders(but sender: Int?) -> [Int] { unsentBytes.keys.filter { $0 != sender } }

    func unsentBytes(of reader: Int) -> Int? {
        willLook(reader)
        return unsentBytes[reader]
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
        unsentBytes[reader] = nil
    }
}
