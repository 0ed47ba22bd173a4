import Conversation
import LoadTest
import UserInterface
import WSCore

/// The worker threads of a load test. Each has its own loop and a shard of the connections, and shares nothing with the
/// others.
///
///      main thread    init ─► didOpen ─► start(at:) ──────────► didEnd ─► results of the workers
///      each worker      open ─► wait ─► load ─► replies ─► close ─┘
final class WorkerPool {
    private var threads: [Thread] = []
    private var members: [Member] = []
    private var openingCount = 0
    private var sendingCount = 0
    private var runningCount = 0
    private let loop: EventLoop
    /// Called on the loop when all threads have opened their connections or failed to.
    var didOpen: (() -> Void)?
    /// Called on the loop when all threads have ended.
    var didEnd: (() -> Void)?

    /// A worker and the means to control it from another thread.
    private struct Member: @unchecked Sendable {
        /// Not used before the thread has ended.
        let worker: LoadWorker
        let post: Mutex<LoadPost>
        let start: LoopWaker
        let allSent: LoopWaker
        let drain: LoopWaker
        let terminate: LoopWaker

        /// Stops the wakers on the worker's thread: a loop turns once more when it is released, and a waker may just
        /// have fired.
        func stopWakers() {
            for waker in [start, allSent, drain, terminate] { waker.stop() }
        }
    }

    /// The data passed to a new thread. Only that thread uses it.
    private struct Start: @unchecked Sendable {
        let settings: BenchSettings
        let shard: Shard
        let channel = OneShotChannel<Result<Member, Failure>>()
        /// Wake the main thread when the connections are open, when everything has been sent, and when the thread has
        /// finished.
        let didOpen: LoopWaker
        let didSend: LoopWaker
        let didEnd: LoopWaker
    }

    /// The time limit for replies, and then for closing handshakes, in a run that ends early.
    static let hurriedLimit = Duration.seconds(1)

    /// Creates a pool. ``open(_:)`` starts the threads.
    /// - Parameter loop: The loop of the main thread.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Starts the threads, which start opening connections.
    func open(_ settings: BenchSettings) throws(Failure) {
        let count = settings.plan.connections.threadCount
        (openingCount, sendingCount, runningCount) = (count, count, count)
        for index in 0..<count {
            let start: Start
            do throws(IOError) {
                start = Start(
                    settings: settings, shard: Shard(index: index, count: count),
                    didOpen: try LoopWaker(on: loop) { [weak self] in self?.threadOpened() },
                    didSend: try LoopWaker(on: loop) { [weak self] in self?.threadSent() },
                    didEnd: try LoopWaker(on: loop) { [weak self] in self?.threadEnded() })
                threads.append(try Thread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.channel.receive() {
            case .success(let member): members.append(member)
            case .failure(let failure):
                threads.removeLast().join()
                throw failure
            }
        }
    }

    /// The number of open connections, valid after ``didOpen``.
    var openCount: Int { members.reduce(0) { $0 + $1.post.withLock(\.openCount) } }

    /// The notice about a redirect to another origin, or `nil` if there was none.
    var redirectNotice: String? { members.lazy.compactMap { $0.post.withLock(\.redirectNotice) }.first }

    /// Why a connection could not be opened, or `nil` if all are open.
    var openingFailure: Failure? {
        for member in members {
            if let failure = member.post.withLock(\.failure) { return failure }
        }
        return nil
    }

    /// Takes the progress of each thread since the last call, in the same order in each call.
    func takeProgress() -> [LoadProgress] {
        members.map { $0.post.withLock { $0.progress.take() } }
    }

    /// Takes the first failures of steps since the last call. Threads may report the same step.
    func takeStepFailures() -> [ScenarioFailure] {
        members.flatMap { member in
            member.post.withLock { post in
                defer { post.stepFailures = [] }
                return post.stepFailures
            }
        }
    }

    /// Starts the load.
    /// - Parameter time: The start of all schedules, on the loops' clock in nanoseconds.
    func start(at time: UInt64) {
        for member in members {
            member.post.withLock { $0.startTime = time }
            member.start.wake()
        }
    }

    /// Ends the load early, with a short wait for replies and close frames.
    func drain() {
        for member in members { member.drain.wake() }
    }

    /// Ends all connections at once.
    func terminate() {
        for member in members { member.terminate.wake() }
    }

    /// Waits for all threads to end and returns their workers.
    func join() -> [LoadWorker] {
        for thread in threads { thread.join() }
        threads = []
        return members.map(\.worker)
    }

    private func threadOpened() {
        // A waker may merge several calls, but each thread has its own waker and calls it once.
        openingCount -= 1
        if openingCount == 0 { didOpen?() }
    }

    /// Tells readers how many messages to expect, after the last thread has sent its own.
    private func threadSent() {
        sendingCount -= 1
        guard sendingCount == 0 else { return }
        let count = members.reduce(0) { $0 + $1.post.withLock(\.sentCount) }
        for member in members {
            member.post.withLock { $0.allSentCount = count }
            member.allSent.wake()
        }
    }

    private func threadEnded() {
        runningCount -= 1
        if runningCount == 0 { didEnd?() }
    }

    // MARK: On a thread of the pool

    private static func run(_ start: Start) {
        do throws(Failure) {
            let worker = try makeWorker(start)
            let member = try makeMember(worker)
            start.channel.send(.success(member))
            worker.reports.didOpen = { [didOpen = start.didOpen] in didOpen.wake() }
            worker.reports.didSend = { [didSend = start.didSend] in didSend.wake() }
            worker.reports.didEnd = { [unowned worker] in worker.loop.stop() }
            worker.open()
            worker.loop.run()
            member.stopWakers()
            start.didEnd.wake()
        } catch {
            start.channel.send(.failure(error))
        }
    }

    private static func makeWorker(_ start: Start) throws(Failure) -> LoadWorker {
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop()
        } catch {
            throw .system(error)
        }
        return try LoadWorker(start.settings, shard: start.shard, on: loop)
    }

    private static func makeMember(_ worker: LoadWorker) throws(Failure) -> Member {
        let post = worker.post
        do throws(IOError) {
            // Weak references would slow down all reference counting of the worker.
            return Member(
                worker: worker, post: post,
                start: try LoopWaker(on: worker.loop) { worker.start(at: post.withLock(\.startTime)) },
                allSent: try LoopWaker(on: worker.loop) {
                    worker.workload.allSent(post.withLock(\.allSentCount))
                },
                drain: try LoopWaker(on: worker.loop) { worker.drain(limit: hurriedLimit) },
                terminate: try LoopWaker(on: worker.loop) { worker.terminate() })
        } catch {
            throw .system(error)
        }
    }
}

/// The state that a worker thread and the main thread share during a run.
struct LoadPost: Sendable {
    /// The number of open connections.
    var openCount = 0
    /// Why a connection was not opened.
    var failure: Failure?
    /// The notice about a redirect to another origin while the connections were opened.
    var redirectNotice: String?
    /// The number of counted messages the thread has sent, set when sending has ended.
    var sentCount = 0
    /// The number of counted messages all threads have sent, set when sending has ended.
    var allSentCount = 0
    /// The first failure of each step of a scenario since the main thread took them.
    var stepFailures: [ScenarioFailure] = []
    /// The thread's progress since the main thread took it.
    var progress = LoadProgress()
    /// The start of the load, on the loops' clock in nanoseconds.
    var startTime: UInt64 = 0
}
