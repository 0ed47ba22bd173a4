import LoadTest
import WSCore

/// The worker threads of a load test. Each has a loop and a shard of the connections, and shares nothing with the others.
///
///      main thread    init ─► didOpen ─► start(at:) ──────────► didEnd ─► workers, to be added up
///      each worker      open ─► wait ─► load ─► replies ─► close ─┘
final class WorkerPool {
    private var threads: [LoopThread] = []
    private var members: [Member] = []
    private var openingCount = 0
    private var sendingCount = 0
    private var runningCount = 0
    private let loop: EventLoop
    /// Called on the loop when all threads have opened their connections, or could not.
    var didOpen: (() -> Void)?
    /// Called on the loop when all threads have ended.
    var didEnd: (() -> Void)?

    /// A worker and the means to control it from another thread.
    private struct Member: @unchecked Sendable {
        /// Not to be touched before the thread has ended.
        let worker: LoadWorker
        let post: Mutex<LoadPost>
        let start: LoopWaker
        let allSent: LoopWaker
        let drain: LoopWaker
        let terminate: LoopWaker

        /// Stops the wakers, on the worker's thread: a loop turns once more when it is released, and a waker may just have
        /// been woken.
        func letGo() {
            for waker in [start, allSent, drain, terminate] { waker.stop() }
        }
    }

    /// What a thread is started with; used by that thread alone.
    private struct Start: @unchecked Sendable {
        let settings: BenchSettings
        let shard: Shard
        let channel = OneShotChannel<Result<Member, Failure>>()
        /// Told when the connections are open, when all is sent, and when there is nothing more to do.
        let didOpen: LoopWaker
        let didSend: LoopWaker
        let didEnd: LoopWaker
    }

    /// How long replies, and then the closing handshakes, may take when a run is ended early.
    static let hurriedLimit = Duration.seconds(1)

    /// Prepares threads, which ``open()`` starts.
    /// - Parameter loop: The loop of the thread that directs them.
    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Starts the threads, which begin to open their connections.
    func open(_ settings: BenchSettings) throws(Failure) {
        let count = settings.arguments.load.threadCount
        (openingCount, sendingCount, runningCount) = (count, count, count)
        for index in 0..<count {
            let start: Start
            do throws(IOError) {
                start = Start(
                    settings: settings, shard: Shard(index: index, count: count),
                    didOpen: try LoopWaker(on: loop) { [weak self] in self?.threadOpened() },
                    didSend: try LoopWaker(on: loop) { [weak self] in self?.threadSent() },
                    didEnd: try LoopWaker(on: loop) { [weak self] in self?.threadEnded() })
                threads.append(try LoopThread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.channel.receive() {
            case .success(let member)?: members.append(member)
            case .failure(let failure)?: throw failure
            case nil: break
            }
        }
    }

    /// How many connections are open after ``didOpen``.
    var openCount: Int { members.reduce(0) { $0 + $1.post.withLock(\.openCount) } }

    /// Why one of the connections could not be opened; nil: all of them are open.
    var openingFailure: Failure? {
        for member in members {
            if let failure = member.post.withLock(\.failure) { return failure }
        }
        return nil
    }

    /// How far all threads together have come.
    var progress: LoadProgress {
        members.reduce(into: LoadProgress()) { $0.add($1.post.withLock(\.progress)) }
    }

    /// Has the load begin.
    /// - Parameter time: The beginning of all schedules, on the loops' clock in nanoseconds.
    func start(at time: UInt64) {
        for member in members {
            member.post.withLock { $0.startTime = time }
            member.start.wake()
        }
    }

    /// Ends the load early: replies have a moment to come, and so have close frames.
    func drain() {
        for member in members { member.drain.wake() }
    }

    /// Waits for nothing any more.
    func terminate() {
        for member in members { member.terminate.wake() }
    }

    /// The workers, to be read once all threads have ended, for which it waits.
    func join() -> [LoadWorker] {
        for thread in threads { thread.join() }
        threads = []
        return members.map(\.worker)
    }

    private func threadOpened() {
        // A waker may be for several calls, but each thread has one of its own, and opens once.
        openingCount -= 1
        if openingCount == 0 { didOpen?() }
    }

    /// When the last has sent what it had to, readers can be told what is to come.
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
            member.letGo()
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
            // Weak references would make each count of references to the worker slower.
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

/// What a thread of a load test and the one that directs it tell each other while it runs.
struct LoadPost: Sendable {
    /// The number of connections that were opened.
    var openCount = 0
    /// Why one of them was not opened.
    var failure: Failure?
    /// The number of messages that were sent and count, when nothing more is sent.
    var sentCount = 0
    /// The number that all threads have sent, when nothing more is sent.
    var allSentCount = 0
    /// How far the thread has come; only where progress is shown.
    var progress = LoadProgress()
    /// When the load begins, on the loops' clock in nanoseconds.
    var startTime: UInt64 = 0
}
