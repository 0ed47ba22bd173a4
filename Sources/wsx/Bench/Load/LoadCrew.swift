import WSCore

/// The threads of a load test: each has a loop and a share of the connections, and shares nothing with the others.
///
///      main thread    init ─► didOpen ─► start(at:) ──────────► didEnd ─► workers, to be added up
///      each worker      open ─► wait ─► load ─► replies ─► close ─┘
final class LoadCrew {
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

    /// A thread, and what it can be asked for on any other.
    private struct Member: @unchecked Sendable {
        /// Not to be touched before the thread has ended.
        let worker: LoadWorker
        let post: Guarded<LoadPost>
        let start: LoopWaker
        let allSent: LoopWaker
        let drain: LoopWaker
        let terminate: LoopWaker

        /// Lets go of the worker, on its thread: a loop turns once more when it is released, and somebody may just have
        /// woken it.
        func letGo() {
            for waker in [start, allSent, drain, terminate] { waker.stop() }
        }
    }

    /// What a thread is given: made for it, and used by it alone.
    private struct Start: @unchecked Sendable {
        let settings: BenchSettings
        let share: LoadShare
        let handover = Handover<Result<Member, Failure>>()
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
        let count = settings.arguments.threadCount
        (openingCount, sendingCount, runningCount) = (count, count, count)
        for index in 0..<count {
            let start: Start
            do throws(IOError) {
                start = Start(
                    settings: settings, share: LoadShare(index: index, count: count),
                    didOpen: try LoopWaker(on: loop) { [weak self] in self?.threadOpened() },
                    didSend: try LoopWaker(on: loop) { [weak self] in self?.threadSent() },
                    didEnd: try LoopWaker(on: loop) { [weak self] in self?.threadEnded() })
                threads.append(try LoopThread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.handover.take() {
            case .success(let member)?: members.append(member)
            case .failure(let failure)?: throw failure
            case nil: break
            }
        }
    }

    /// How many connections are open after ``didOpen``.
    var openCount: Int { members.reduce(0) { $0 + $1.post.withValue(\.openCount) } }

    /// Why one of the connections could not be opened; nil: all of them are open.
    var openingFailure: Failure? {
        for member in members {
            if let failure = member.post.withValue(\.failure) { return failure }
        }
        return nil
    }

    /// How far all threads together have come.
    var progress: LoadProgress {
        members.reduce(into: LoadProgress()) { $0.add($1.post.withValue(\.progress)) }
    }

    /// Has the load begin.
    /// - Parameter time: The beginning of all schedules, on the loops' clock in nanoseconds.
    func start(at time: UInt64) {
        for member in members {
            member.post.withValue { $0.startTime = time }
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
        let count = members.reduce(0) { $0 + $1.post.withValue(\.sentCount) }
        for member in members {
            member.post.withValue { $0.allSentCount = count }
            member.allSent.wake()
        }
    }

    private func threadEnded() {
        runningCount -= 1
        if runningCount == 0 { didEnd?() }
    }

    // MARK: On a thread of the crew

    private static func run(_ start: Start) {
        do throws(Failure) {
            let worker = try makeWorker(start)
            let member = try makeMember(worker)
            start.handover.give(.success(member))
            worker.didOpen = { [didOpen = start.didOpen] in didOpen.wake() }
            worker.didSend = { [didSend = start.didSend] in didSend.wake() }
            worker.didEnd = { [unowned worker] in worker.loop.stop() }
            worker.open()
            worker.loop.run()
            member.letGo()
            start.didEnd.wake()
        } catch {
            start.handover.give(.failure(error))
        }
    }

    private static func makeWorker(_ start: Start) throws(Failure) -> LoadWorker {
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop()
        } catch {
            throw .system(error)
        }
        return try LoadWorker(start.settings, share: start.share, on: loop)
    }

    private static func makeMember(_ worker: LoadWorker) throws(Failure) -> Member {
        let post = worker.post
        do throws(IOError) {
            // Weak references would make each count of references to the worker slower.
            return Member(
                worker: worker, post: post,
                start: try LoopWaker(on: worker.loop) { worker.start(at: post.withValue(\.startTime)) },
                allSent: try LoopWaker(on: worker.loop) {
                    worker.workload.allSent(post.withValue(\.allSentCount), for: worker)
                },
                drain: try LoopWaker(on: worker.loop) { worker.drain(limit: hurriedLimit) },
                terminate: try LoopWaker(on: worker.loop) { worker.terminate() })
        } catch {
            throw .system(error)
        }
    }
}
