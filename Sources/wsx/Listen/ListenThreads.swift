import WSCore

/// The further threads of `--threads`: each has a loop and a server of its own on the same port, and shares nothing with
/// the others. The kernel deals the clients out.
final class ListenThreads {
    private var threads: [LoopThread] = []
    private var wakers: [LoopWaker] = []

    /// What a thread is given: made for it, and used by it alone.
    private struct Start: @unchecked Sendable {
        let settings: ListenSettings
        let handover: Handover<Result<LoopWaker, Failure>>
    }

    /// Starts the threads; when it returns, all of them listen.
    init(_ settings: [ListenSettings]) throws(Failure) {
        for settings in settings {
            let start = Start(settings: settings, handover: Handover())
            do throws(IOError) {
                threads.append(try LoopThread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.handover.take() {
            case .success(let waker)?: wakers.append(waker)
            case .failure(let failure)?: throw failure
            case nil: break
            }
        }
    }

    /// Has the servers close their clients, or asked again, stop at once.
    func end() {
        for waker in wakers { waker.wake() }
    }

    /// Waits until they have stopped.
    func join() {
        for thread in threads { thread.join() }
        threads = []
    }

    private static func run(_ start: Start) {
        do throws(Failure) {
            let run = try makeRun(start.settings)
            let waker: LoopWaker
            do throws(IOError) {
                waker = try LoopWaker(on: run.loop) { [unowned run] in run.end() }
            } catch {
                throw .system(error)
            }
            try run.start()
            start.handover.give(.success(waker))
            withExtendedLifetime(run) { run.loop.run() }
        } catch {
            start.handover.give(.failure(error))
        }
    }

    private static func makeRun(_ settings: ListenSettings) throws(Failure) -> ListenRun {
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop()
        } catch {
            throw .system(error)
        }
        // Colours are for the transcript, of which there is none.
        let console = Console(color: .never, isQuiet: settings.arguments.isQuiet, environment: { _ in nil })
        return try ListenRun(settings, on: loop, console: console)
    }
}
