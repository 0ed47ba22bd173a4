import WSCore

/// What the connections of a thread do, and what is made of what they receive: a type for each kind of load.
///
/// ``LoadWorker`` says when. It is given to each call: a reference kept to it would be counted with every message.
protocol Workload: AnyObject {
    /// Who takes what connections receive.
    var receiver: LoadReceiver { get }
    /// What says when the time is over that rates are for.
    var measurementEnd: LoadMeasurement.End { get }

    // MARK: Connections

    /// Makes what takes the messages of a connection.
    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection
    /// A connection is open.
    func opened(_ connection: LoadConnection, for worker: LoadWorker)
    /// Whether messages are sent on a connection.
    func isSender(_ connection: LoadConnection) -> Bool
    /// A connection has ended.
    func ended(_ connection: LoadConnection, for worker: LoadWorker)
    /// How many connections there were, when the load began, to receive what others send.
    var readerCount: Int { get }
    /// Whether there is nobody left who could send, or receive.
    func isDeserted(for worker: LoadWorker) -> Bool

    // MARK: Sending

    /// The load begins.
    func begin(for worker: LoadWorker)
    /// Sends what is due, and has the timer call again.
    func goOn(for worker: LoadWorker)
    /// Sends the next message of a connection, which is due now or was before; false: it takes no more.
    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool
    /// Whether a connection of a closed loop has another message to send.
    func hasNext(_ connection: LoadConnection) -> Bool
    /// Sends messages of a closed loop on a connection, and returns how many.
    /// - Parameter limit: Not more than that.
    func fill(_ connection: LoadConnection, atMost limit: Int, for worker: LoadWorker) -> Int
    /// All threads have sent what they had to.
    /// - Parameter count: How many messages these were.
    func allSent(_ count: Int, for worker: LoadWorker)

    // MARK: Replies

    /// Waits no more for replies to messages that were sent before a time.
    func giveUpReplies(before time: UInt64, for worker: LoadWorker)
    /// Whether nothing is waited for.
    func isAnswered(for worker: LoadWorker) -> Bool
    /// Waits for nothing any more.
    /// - Parameter isLate: Whether what is missing has had its time.
    func stopWaiting(isLate: Bool, for worker: LoadWorker)
}

// A load that has nothing to send, and waits for nothing.
extension Workload {
    var measurementEnd: LoadMeasurement.End { .withLastReply }

    func makeConnection(_ number: UInt64, for worker: LoadWorker) -> LoadConnection {
        LoadConnection(number, of: worker)
    }

    func opened(_ connection: LoadConnection, for worker: LoadWorker) {}
    func isSender(_ connection: LoadConnection) -> Bool { true }
    func ended(_ connection: LoadConnection, for worker: LoadWorker) {}
    var readerCount: Int { 0 }
    func isDeserted(for worker: LoadWorker) -> Bool { worker.senders.isEmpty }

    func begin(for worker: LoadWorker) {}
    func goOn(for worker: LoadWorker) { worker.sendDue() }
    func send(on connection: LoadConnection, dueAt time: UInt64) -> Bool { false }
    func hasNext(_ connection: LoadConnection) -> Bool { false }

    // Here and not in the worker: each of the types has one that is specialised for it.
    func fill(_ connection: LoadConnection, atMost limit: Int, for worker: LoadWorker) -> Int {
        var count = 0
        while count < limit, worker.remainingMessages > 0, hasNext(connection), connection.hasRoom {
            guard send(on: connection, dueAt: worker.now) else { break }
            worker.countSent(dueAt: worker.now)
            count += 1
        }
        return count
    }

    func allSent(_ count: Int, for worker: LoadWorker) {}

    func giveUpReplies(before time: UInt64, for worker: LoadWorker) {}
    func isAnswered(for worker: LoadWorker) -> Bool { true }
    func stopWaiting(isLate: Bool, for worker: LoadWorker) {}
}
