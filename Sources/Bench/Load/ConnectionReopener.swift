import LoadTest
import WSCore

/// Opens connections of one thread during the load, each under a given number, until it succeeds.
///
///      open ─► delay ─► due ─► attempt ─► added to the load
///                ▲               │ failed
///                └───────────────┘
final class ConnectionReopener {
    private unowned let worker: LoadWorker
    /// The timers of connections that will be opened later, by number.
    private var delays: [UInt64: Timer] = [:]
    /// The connections that wait for the limit of concurrent attempts, the oldest first.
    private var due: [UInt64] = []
    private var attempts: Set<UInt64> = []

    /// Creates a reopener without connections.
    init(of worker: LoadWorker) {
        self.worker = worker
    }

    /// Opens a connection after a delay.
    func open(_ number: UInt64, after delay: Duration) {
        guard delay > .zero else { return enqueue(number) }
        let timer = Timer(on: worker.loop) { [unowned self] in
            delays[number] = nil
            enqueue(number)
        }
        delays[number] = timer
        timer.start(after: delay)
    }

    private func enqueue(_ number: UInt64) {
        due.append(number)
        // In another turn, because a connection may be ending in this one.
        worker.wakeSoon()
    }

    /// Starts the attempts that are due, up to the limit of concurrent ones.
    func openDue() {
        var count = 0
        while count < due.count, !worker.opener.isFull {
            attempt(due[count])
            count += 1
        }
        due.removeFirst(count)
    }

    private func attempt(_ number: UInt64) {
        guard worker.context.stillNeeds(number) else { return }
        attempts.insert(number)
        worker.opener.open(number) { [unowned self] number, result in
            attempts.remove(number)
            worker.takeTime()
            switch result {
            case .success(let opened): worker.add(opened, number, countsTime: true)
            case .failure(let error):
                worker.note(error)
                let requested = error.requestedWait
                worker.opener.requestedSeconds += Int(requested.components.seconds)
                open(number, after: max(LoadContext.retryDelay, requested))
            }
            if !due.isEmpty { worker.wakeSoon() }
        }
    }

    /// Cancels all attempts.
    func cancel() {
        for number in attempts { worker.opener.cancel(number) }
        attempts = []
        delays = [:]
        due = []
    }
}
