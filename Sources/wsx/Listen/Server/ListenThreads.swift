import WSCore

/// The further threads of `--threads`: each has a loop and a server of its own on the same port, and shares nothing with
/// the others. The kernel deals the clients out.
///
/// The first thread waits for the others on its loop and not in a join, so that it hears a second Ctrl-C.
final class ListenThreads {
    private var threads: [LoopThread] = []
    private var controls: [Control] = []
    private var runningCount: Int
    private let didEnd: () -> Void

    /// What a thread can be asked for, on any other.
    private struct Control: @unchecked Sendable {
        /// Not to be touched before the thread has ended: kept, so that there is a loop that can be woken.
        let run: ListenRun
        /// To close its clients.
        let end: LoopWaker
        /// To wait for nobody: a waker of its own, as calls of one that come close together are one.
        let stop: LoopWaker

        /// Lets go of the run, on its thread: a loop turns once more when it is released, and somebody may just have woken
        /// it.
        func letGo() {
            for waker in [end, stop] { waker.stop() }
        }
    }

    /// What a thread is given: made for it, and used by it alone.
    private struct Start: @unchecked Sendable {
        let settings: ListenSettings
        let channel: OneShotChannel<Result<Control, Failure>>
        /// Told when the thread has nothing more to do.
        let didEnd: LoopWaker
    }

    /// Starts the threads; when it returns, all of them listen.
    /// - Parameters:
    ///   - settings: Those of each.
    ///   - loop: The loop of the thread that starts them.
    ///   - didEnd: Called there when all of them are over.
    init(_ settings: [ListenSettings], on loop: EventLoop, didEnd: @escaping () -> Void) throws(Failure) {
        runningCount = settings.count
        self.didEnd = didEnd
        for settings in settings {
            let start: Start
            do throws(IOError) {
                let waker = try LoopWaker(on: loop) { [weak self] in self?.threadEnded() }
                start = Start(settings: settings, channel: OneShotChannel(), didEnd: waker)
                threads.append(try LoopThread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.channel.receive() {
            case .success(let control)?: controls.append(control)
            case .failure(let failure)?: throw failure
            case nil: break
            }
        }
    }

    /// Whether nothing is waited for any more.
    var areOver: Bool { runningCount == 0 }

    /// Has the servers close their clients.
    func end() {
        for control in controls { control.end.wake() }
    }

    /// Has them stop at once.
    func stop() {
        for control in controls { control.stop.wake() }
    }

    /// Waits until they have stopped.
    func join() {
        for thread in threads { thread.join() }
        threads = []
        controls = []
    }

    private func threadEnded() {
        runningCount -= 1
        if areOver { didEnd() }
    }

    private static func run(_ start: Start) {
        do throws(Failure) {
            let run = try makeRun(start.settings)
            let control = try makeControl(of: run)
            defer { control.letGo() }
            try run.start()
            start.channel.send(.success(control))
            run.loop.run()
            start.didEnd.wake()
        } catch {
            start.channel.send(.failure(error))
        }
    }

    private static func makeControl(of run: ListenRun) throws(Failure) -> Control {
        do throws(IOError) {
            return Control(
                run: run,
                end: try LoopWaker(on: run.loop) { run.end() },
                stop: try LoopWaker(on: run.loop) { run.stop(waitsForOutput: false) })
        } catch {
            throw .system(error)
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
        let console = Console(
            color: .never, isQuiet: settings.arguments.transcript.display.isQuiet, environment: { _ in nil })
        return try ListenRun(settings, on: loop, console: console)
    }
}
