import Conversation
import WSCore

@testable import LoadTest

/// A fake thread of a load, which only records calls.
final class RecordingHost: LoadHost {
    /// The calls, in order: `drain`, `wake 1000`.
    private(set) var requests: [String] = []
    /// The failures of steps.
    private(set) var failures: [String] = []
    /// The problems of application protocols.
    private(set) var problems: [ProtocolProblem] = []
    /// The connection attempts in progress.
    var attempts: [(_ isOpen: Bool) -> Void] = []

    func wake(at time: UInt64) { requests.append("wake \(time)") }
    func wakeSoon() { requests.append("wake soon") }
    func fillInNextTurn(_ connection: any LoadHandler) { requests.append("fill \(connection.number)") }
    func wakeAtDeadline(_ time: UInt64) { requests.append("deadline \(time)") }
    func stepFailed(_ failure: ScenarioFailure, isOpening: Bool) { failures.append("\(failure)") }
    func protocolFailed(on connection: LoadConnection, because problem: ProtocolProblem) { problems.append(problem) }
    func drain() { requests.append("drain") }
    func closeIfAnswered() { requests.append("close if answered") }
    func allIsSent() { requests.append("all is sent") }
    func close(_ connection: LoadConnection) { requests.append("close \(connection.number)") }
    func ended(_ connection: LoadConnection, _ end: ConnectionEnd) { requests.append("ended \(connection.number)") }

    func reopen(_ number: UInt64, after delay: Duration) { requests.append("reopen \(number) after \(delay)") }

    /// Ends the run at the first attempt, which has no request, unless it is `nil`.
    var refuse: (() -> Void)?

    func openConnection(countsTime: Bool, completion: @escaping (_ isOpen: Bool) -> Void) -> Bool {
        if let refuse {
            refuse()
            return false
        }
        attempts.append(completion)
        return true
    }
}

/// A fake output of a connection.
final class RecordingPort: LoadPort {
    /// The messages and pings that were sent.
    private(set) var sent: [[UInt8]] = []
    private(set) var closeFrame: CloseFrame?
    /// The number of messages it accepts before it is full.
    var room = Int.max
    var unsentBytes = 0
    var sentTraffic = Traffic()
    var receivedTraffic = Traffic()

    var isFull: Bool { sent.count >= room }

    func send(_ payload: RawSpan, as kind: MessageKind) -> Bool {
        sent.append(payload.withUnsafeBytes { Array($0) })
        return true
    }

    func offer(_ payload: RawSpan, as kind: MessageKind) -> Bool { !isFull && send(payload, as: kind) }
    func sendPing(_ payload: RawSpan) -> Bool { send(payload, as: .binary) }
    func sendPong(_ payload: RawSpan) -> Bool { send(payload, as: .binary) }
    func offerPing(_ payload: RawSpan) -> Bool { offer(payload, as: .binary) }
    func close(_ frame: CloseFrame) -> Bool {
        closeFrame = frame
        return true
    }
    func terminate() {}
}

/// A load that has started, with a fake thread and fake connections.
final class LoadFixture {
    let context: LoadContext
    let workload: any Workload
    let host = RecordingHost()

    /// The start of the load and of counting, in nanoseconds.
    static let start: UInt64 = 1_000_000

    /// Starts a load of 10 s, unless the plan is changed.
    /// - Parameter connected: The numbers of the open connections.
    init(
        _ mode: BenchMode, shard: Shard = Shard(index: 0, count: 1), connected: [UInt64] = [0],
        _ change: (inout LoadPlan) -> Void = { _ in }
    ) {
        var plan = LoadPlan(mode)
        plan.duration = .seconds(10)
        plan.messages.runNumber = 7
        change(&plan)
        context = LoadContext(plan, shard: shard, clockOffset: 0)
        workload = context.makeWorkload()
        context.host = host
        for number in connected {
            let connection = workload.makeConnection(number)
            connection.port = RecordingPort()
            context.connections[number] = connection
            context.openPipeline(of: connection, subprotocol: nil)
            workload.opened(connection)
            context.beginPipeline(of: connection)
        }
        context.now = Self.start
        context.begin(workload, at: Self.start)
        workload.begin()
    }

    deinit {
        context.releaseConnections()
    }

    /// A connection, as the type of its mode.
    func connection<Handler: LoadHandler>(_ number: UInt64, as type: Handler.Type = Handler.self) throws -> Handler {
        guard let connection = context.connections[number] as? Handler else { throw NoSuchConnection() }
        return connection
    }

    /// The output of a connection.
    func port(_ number: UInt64 = 0) throws -> RecordingPort {
        guard let port = context.connections[number]?.port as? RecordingPort else { throw NoSuchConnection() }
        return port
    }

    var tally: LoadTally { context.measurement.tally }

    /// The maximum latency of the completed load.
    func largestLatency() -> UInt64 {
        context.measurement.finish(at: context.now)
        return context.measurement.latencies.total.maximum
    }

    /// A template of messages.
    static func template(_ text: String, _ data: LoadData? = nil) throws -> Template {
        try Template(text, variables: data?.columns ?? VariableNames()) { _ in nil }
    }

    /// A data file with these contents, whose rows can be taken several times.
    static func data(_ contents: String) throws -> LoadData {
        var reader = DataReader()
        reader.receive(Array(contents.utf8).span.bytes)
        reader.finish()
        let columns = try reader.readColumns() ?? VariableNames()
        var rows: [DataRow] = []
        while let row = try reader.nextRow() { rows.append(row) }
        return LoadData(columns: columns, firstRow: rows[0]) { [rows] number in
            number < rows.count ? rows[Int(number)] : nil
        }
    }

    private struct NoSuchConnection: Error {}
}

extension EchoConnection {
    /// Passes a message to the connection, which replies on its recorded output.
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        if let port = port as? RecordingPort { receive(payload, as: kind, replyingOn: port) }
    }
}

extension RequestConnection {
    /// Passes a message to the connection, which replies on its recorded output.
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        if let port = port as? RecordingPort { receive(payload, as: kind, replyingOn: port) }
    }
}
