import Testing
import WSCore

@testable import wsx

/// A worker whose load has begun, on a loop that does not run; its connections have handlers and no streams.
struct WorkloadFixture {
    let worker: LoadWorker

    /// When messages begin to count, in nanoseconds.
    static let start: UInt64 = 1_000_000

    /// Begins a load of 10 s.
    init(_ mode: BenchMode, _ change: (inout BenchArguments) -> Void = { _ in }) throws {
        var arguments = BenchArguments()
        arguments.url = "ws://127.0.0.1:9"
        arguments.mode = mode
        change(&arguments)
        let settings = try BenchSettings(arguments, secrets: Secrets(environment: { _ in nil }))
        worker = try LoadWorker(settings, shard: Shard(index: 0, count: 1), on: EventLoop())
        worker.phase = .loading
        worker.measurement.begin(at: Self.start, warmup: .zero, duration: .seconds(10), end: .withLastReply)
        worker.now = Self.start
    }

    /// Opens a connection.
    func connect(_ number: UInt64) -> LoadConnection {
        let connection = worker.workload.makeConnection(number, for: worker)
        worker.connections[number] = connection
        return connection
    }

    /// What a connection sends next.
    var outbox: Outbox {
        Outbox(role: .client, maskingKeys: MaskingKeySource { $0.initializeMemory(as: UInt8.self, repeating: 0) })
    }
}
