import Peer
import UserInterface
import WSCore

/// The connections behind gates: those of the clients or, in a relay, a client's connection to the server.
protocol GateHost: AnyObject {
    /// The connection for the client with this number, or `nil` if it has ended.
    func gatedConnection(of client: Int) -> (any GatedConnection)?
    /// Sends an item that a gate had delayed.
    func sendDue(_ item: InputItem, _ payload: RawSpan, _ mark: MessageMark?, for client: Int)
}

/// A connection whose items pass through a gate.
protocol GatedConnection: AnyObject {
    /// Whether the send queue is full.
    var isFull: Bool { get }
    /// Stops answering the peer's pings.
    func stopAnsweringPings()
    /// Stops reading from the peer.
    func pauseReading(for reasons: PauseReasons)
    /// Resumes reading, unless it is paused for another reason.
    func resumeReading(after reasons: PauseReasons)
    /// Resumes work that waited for room in the gate.
    func gateDidDrain()
}

/// The parts of the server that faults depend on.
protocol FaultHost: GateHost {
    /// Pauses the senders of broadcasts while a client does not read.
    func waitForSlowReaders()
    /// Resumes broadcasts when no gate is full any more.
    func gatesDidDrain()
}

/// The faults that `wsx listen` injects on request, and their state: the number of requests still to reject, the random
/// seed, and the number of full gates.
final class Faults {
    /// The requested faults.
    let arguments: FaultArguments
    /// The server. Set before the first client connects.
    weak var host: (any FaultHost)?
    let loop: EventLoop

    private let mode: ListenMode.Traits
    /// The seed shared by all clients.
    private let seed: UInt64
    private var rejections: RejectionCounter
    private var fullGateCount = 0
    private let diagnostics: Diagnostics
    private let isVerbose: Bool

    /// Creates the faults that the arguments request.
    init(_ arguments: ListenArguments, diagnostics: Diagnostics, on loop: EventLoop) {
        self.arguments = arguments.faults
        self.loop = loop
        self.diagnostics = diagnostics
        mode = arguments.mode.traits
        isVerbose = arguments.transcript.verbosity > 0
        seed = arguments.faults.seed.map { UInt64($0) } ?? .random(in: .min ... .max)
        rejections = RejectionCounter(arguments.faults.rejection)
    }

    /// Whether everything sent to a client passes through a gate. A replay needs gates for its own pauses.
    var useGates: Bool { arguments.concernMessages || mode.hasPauses }

    /// The close frame for `--close-after`.
    var closeFrame: CloseFrame { arguments.closeFrame.frame }

    /// The rejection of an otherwise acceptable request, or `nil` to accept it.
    func rejection(of request: RequestHead, policy: ServerPolicy) -> HandshakeRefusal? {
        guard let status = rejections.next() else { return nil }
        return .rejection(
            of: request, with: status, because: "This server rejects requests (--reject).", policy: policy)
    }

    // MARK: Gates

    /// Creates the gate of a client, or returns `nil` if items go straight to the connection.
    func makeGate(ofClient number: Int) -> OutgoingGate? {
        useGates ? OutgoingGate(client: number, of: self, host: host, closeLimit: arguments.closeLimit) : nil
    }

    /// Creates the gate of a client's connection to the server of a relay, or returns `nil` if there are no faults on it.
    func makeServerGate(ofClient number: Int, host: any GateHost) -> OutgoingGate? {
        guard arguments.delay != nil || arguments.dropRate > 0, arguments.side != .server else { return nil }
        return OutgoingGate(client: number, of: self, host: host, isToServer: true)
    }

    /// The random faults in the messages to a client, or from it to the server of a relay.
    func chance(ofClient number: Int, toServer: Bool) -> FaultChance {
        guard !toServer else { return FaultChance(arguments, seed: seed, client: -number) }
        return FaultChance(arguments.side == .client ? FaultArguments() : arguments, seed: seed, client: number)
    }

    /// Whether messages go to all clients, where one slow client must not delay the others.
    var areForAll: Bool { mode.waiting == .input || mode.waiting == .everyone }

    /// Whether a full gate blocks broadcasts from the input and the prompt.
    var holdInput: Bool { fullGateCount > 0 }
    /// Whether a full gate blocks broadcasts from clients.
    var holdBroadcasts: Bool { fullGateCount > 0 && mode.waiting == .everyone }

    /// Pauses the source of the items in a full gate.
    /// - Parameter client: The connection of the gate, or `nil` if it has ended.
    func gateIsFull(of client: (any GatedConnection)?) {
        switch mode.waiting {
        case .client: client?.pauseReading(for: .gate)
        case .input, .everyone: fullGateCount += 1
        case .service: break
        }
    }

    /// Resumes the source paused by ``gateIsFull(of:)``.
    func gateHasRoom(of client: (any GatedConnection)?) {
        switch mode.waiting {
        case .client:
            client?.resumeReading(after: .gate)
            client?.gateDidDrain()
        case .service: client?.gateDidDrain()
        case .input, .everyone:
            fullGateCount -= 1
            if fullGateCount == 0 { host?.gatesDidDrain() }
        }
    }

    /// Logs a dropped message.
    func dropped(_ byteCount: Int, of client: Int, toServer: Bool) {
        guard isVerbose else { return }
        diagnostics.notice("Client \(client): dropped a message of \(byteCount) B\(toServer ? " to the server" : "")")
    }

    /// Logs a delayed message.
    func delayed(_ byteCount: Int, of client: Int, toServer: Bool, by delay: Duration) {
        guard isVerbose else { return }
        let wait = Int((delay / .milliseconds(1)).rounded())
        let to = toServer ? " to the server" : ""
        diagnostics.notice("Client \(client): delayed a message of \(byteCount) B\(to) by \(wait) ms")
    }
}

/// Counts the requests that `--reject` still has to reject.
struct RejectionCounter {
    private let status: Int?
    /// The number of requests still to reject, or `nil` for all.
    private var left: Int?

    /// Starts counting. Without a rejection, no request is rejected.
    init(_ rejection: Rejection?) {
        status = rejection?.status
        left = rejection?.count
    }

    /// Returns the status for rejecting the next request, or `nil` to accept it.
    mutating func next() -> Int? {
        guard let status, left != 0 else { return nil }
        left? -= 1
        return status
    }
}
