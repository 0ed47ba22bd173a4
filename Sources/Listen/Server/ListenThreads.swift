import Conversation
import UserInterface
import WSCore

/// The additional threads of `--threads`. Each has its own loop and its own server on the same port, and shares nothing
/// with the others. The kernel distributes the clients.
///
/// The first thread waits for the others on its loop rather than in a join, because it must react to a second Ctrl-C.
final class ListenThreads {
    private var threads: [Thread] = []
    private var controls: [Control] = []
    private var runningCount: Int
    private let didEnd: () -> Void

    /// Controls a thread from any other thread.
    private struct Control: @unchecked Sendable {
        /// Not used before the thread has ended. The reference keeps the loop alive for the wakers.
        let run: ListenRun
        /// Closes the thread's clients.
        let end: LoopWaker
        /// Stops the thread without waiting. It needs its own waker, because a waker merges calls in quick succession.
        let stop: LoopWaker

        /// Stops the wakers on the thread: a loop turns once more when it is released, and a waker may just have fired.
        func stopWakers() {
            for waker in [end, stop] { waker.stop() }
        }
    }

    /// The data passed to a new thread. Only that thread uses it.
    private struct Start: @unchecked Sendable {
        let settings: ListenSettings
        let secrets: SecretRecord
        let channel: OneShotChannel<Result<Control, Failure>>
        /// Wakes the first thread when this thread has finished.
        let didEnd: LoopWaker
    }

    /// Starts the threads. All of them listen when the initializer returns.
    /// - Parameters:
    ///   - settings: The settings of each thread.
    ///   - secrets: The secrets of the run.
    ///   - loop: The loop of the calling thread.
    ///   - didEnd: Called on that loop when all threads have finished.
    init(
        _ settings: [ListenSettings], secrets: SecretRecord, on loop: EventLoop, didEnd: @escaping () -> Void
    ) throws(Failure) {
        runningCount = settings.count
        self.didEnd = didEnd
        for settings in settings {
            let start: Start
            do throws(IOError) {
                let waker = try LoopWaker(on: loop) { [weak self] in self?.threadEnded() }
                start = Start(settings: settings, secrets: secrets, channel: OneShotChannel(), didEnd: waker)
                threads.append(try Thread { Self.run(start) })
            } catch {
                throw .system(error)
            }
            switch start.channel.receive() {
            case .success(let control): controls.append(control)
            case .failure(let failure): throw failure
            }
        }
    }

    /// Whether all threads have finished.
    var areOver: Bool { runningCount == 0 }

    /// Closes the clients of all threads.
    func end() {
        for control in controls { control.end.wake() }
    }

    /// Stops all threads at once.
    func stop() {
        for control in controls { control.stop.wake() }
    }

    /// Waits until all threads have ended.
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
            let run = try makeRun(start)
            let control = try makeControl(of: run)
            defer { control.stopWakers() }
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

    private static func makeRun(_ start: Start) throws(Failure) -> ListenRun {
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop()
        } catch {
            throw .system(error)
        }
        // Colors are for the transcript, which these threads do not have.
        let diagnostics = Diagnostics(
            color: .never, isQuiet: start.settings.arguments.transcript.display.isQuiet, secrets: start.secrets,
            environment: { _ in nil })
        return try ListenRun(start.settings, on: loop, diagnostics: diagnostics)
    }
}
