import WSCore

/// What faults need of the server.
protocol FaultHost: AnyObject {
    /// The client with a number; nil: it has left.
    func client(_ number: Int) -> (any ServedClient)?
    /// Sends what a gate has held back.
    func sendDue(_ item: InputItem, _ payload: RawSpan, to client: any ServedClient)
    /// Has those wait whose messages go to all, while a client takes nothing.
    func waitForSlowReaders()
    /// Goes on with messages for all: no gate is full any more.
    func gatesDidDrain()
}

/// What `wsx listen` does wrong on purpose, and the state of that: the requests that are still refused, the seed of the
/// random numbers, and the gates that hold so much that others have to wait.
final class Faults {
    /// What was asked for.
    let arguments: FaultArguments
    /// The server; set before the first client connects.
    weak var host: (any FaultHost)?
    let loop: EventLoop

    private let service: ListenMode.Service
    /// The seed of the random numbers of all clients.
    private let seed: UInt64
    private var rejections: RejectionCounter
    private var fullGateCount = 0
    private let console: Console
    private let isVerbose: Bool

    /// Makes the faults that the arguments ask for.
    init(_ arguments: ListenArguments, console: Console, on loop: EventLoop) {
        self.arguments = arguments.faults
        self.loop = loop
        self.console = console
        service = arguments.mode.service
        isVerbose = arguments.transcript.verbosity > 0
        seed = arguments.faults.seed.map { UInt64($0) } ?? .random(in: .min ... .max)
        rejections = RejectionCounter(arguments.faults.rejection)
    }

    /// Whether everything that is sent to a client goes through a gate: a replay has pauses of its own.
    var useGates: Bool { arguments.concernMessages || service == .replay }

    /// The close frame of `--close-after`.
    var closeFrame: CloseFrame {
        CloseFrame(code: CloseCode(rawValue: arguments.closeFrame.closeCode), reason: arguments.closeFrame.closeReason)
    }

    /// The refusal of a request that could be accepted; nil: it is accepted.
    func rejection(of request: RequestHead, policy: ServerPolicy) -> HandshakeRefusal? {
        guard let status = rejections.next() else { return nil }
        return .rejection(
            of: request, with: status, because: "This server refuses requests (--reject).", policy: policy)
    }

    // MARK: Gates

    /// The gate of a client; nil: what is sent to it goes straight to its connection.
    func makeGate(ofClient number: Int) -> OutgoingGate? {
        useGates ? OutgoingGate(client: number, of: self) : nil
    }

    /// What chance does to the messages for a client.
    func chance(ofClient number: Int) -> FaultChance { FaultChance(arguments, seed: seed, client: number) }

    /// Whether somebody sits at the server, and messages are for all clients: none of them is waited for alone.
    var areForAll: Bool { service == .conversation || service == .broadcast }

    /// Whether so much waits in a gate that messages for all clients have to wait.
    var holdInput: Bool { fullGateCount > 0 }
    /// Whether so much waits in a gate that messages of clients for all others have to wait.
    var holdBroadcasts: Bool { fullGateCount > 0 && service == .broadcast }

    /// Pauses what fills a gate.
    /// - Parameter client: The client of the gate; nil: it has left.
    func gateIsFull(of client: (any ServedClient)?) {
        switch service {
        case .echo, .replay: client?.pauseReading(for: .gate)
        case .conversation, .broadcast: fullGateCount += 1
        // A program looks itself.
        case .exec: break
        }
    }

    /// Goes on after ``gateIsFull(of:)``.
    func gateHasRoom(of client: (any ServedClient)?) {
        switch service {
        case .echo, .replay:
            client?.resumeReading(after: .gate)
            client?.gateDidDrain()
        case .exec: client?.gateDidDrain()
        case .conversation, .broadcast:
            fullGateCount -= 1
            if fullGateCount == 0 { host?.gatesDidDrain() }
        }
    }

    /// Reports a message that is dropped.
    func dropped(_ byteCount: Int, to client: Int) {
        guard isVerbose else { return }
        console.notice("Client \(client): dropped a message of \(byteCount) B")
    }

    /// Reports a message that is held back.
    func delayed(_ byteCount: Int, to client: Int, by delay: Duration) {
        guard isVerbose else { return }
        let wait = delay / .milliseconds(1)
        console.notice("Client \(client): a message of \(byteCount) B waits \(Int(wait.rounded())) ms")
    }
}

/// Counts the requests that `--reject` refuses.
struct RejectionCounter {
    private let status: Int?
    /// How many are still to be refused; nil: all.
    private var left: Int?

    /// Begins to count; without a rejection, none is refused.
    init(_ rejection: Rejection?) {
        status = rejection?.status
        left = rejection?.count
    }

    /// The status with which the next request is refused; nil: it is not.
    mutating func next() -> Int? {
        guard let status, left != 0 else { return nil }
        left? -= 1
        return status
    }
}
