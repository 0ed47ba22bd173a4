import Conversation
import WSCore

/// A connection that sends requests as lines of an application protocol, which identifies their replies.
internal final class ProtocolRequestConnection: LoadConnection, LoadHandler {
    private let workload: RequestWorkload
    private var requests = RequestLedger<ProtocolEvent.ReplyKey>()
    /// The number of the next request.
    private var nextNumber: UInt64

    init(_ number: UInt64, of workload: RequestWorkload) {
        self.workload = workload
        nextNumber = workload.context.connections.earlier(number).messageCount
        super.init(number, in: workload.context)
    }

    override var messageCount: UInt64 { nextNumber }

    // MARK: Sending

    override var hasNext: Bool {
        pipeline?.isReady == true && requests.inFlightCount < workload.inFlight
    }

    override func send(dueAt time: UInt64) -> Bool {
        hasRoom && send(dueAt: time, in: context)
    }

    private func send(dueAt time: UInt64, in context: LoadContext) -> Bool {
        guard let pipeline else { return false }
        workload.message.set(EchoMessage.Stamp(number: nextNumber, connection: number, time: time))
        let line = workload.message.withBytes { $0.withUnsafeBytes { Array($0) } }
        do throws(ProtocolInputError) {
            let sent = try context.submit(
                line.span.bytes, as: .text, wantsReply: true, on: self, through: pipeline)
            guard sent.isSent else { return false }
            guard let key = sent.replyKey else { throw ProtocolInputError("it has no reply, so there is no latency") }
            requests.send(key, at: time)
        } catch {
            let request = "request \(nextNumber + 1) of connection \(number + 1)"
            context.host?.protocolFailed(on: self, because: .unsendable("\(request): \(error)"))
            return false
        }
        nextNumber += 1
        context.awaitDeadline(of: self)
        return true
    }

    // MARK: Receiving

    func connection(
        _ connection: Connection<ProtocolRequestConnection>, received payload: RawSpan, as kind: MessageKind
    ) {
        receive(payload, as: kind)
    }

    /// Passes a message to the protocol.
    func receive(_ payload: RawSpan, as kind: MessageKind) {
        _ = context.takes(payload, as: kind, on: self)
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        if case .reply(nil, _) = event.role {
            let words = String(decoding: event.line, as: UTF8.self)
            context.host?.protocolFailed(on: self, because: .error(words))
            return
        }
        guard case .reply(let key?, let isError) = event.role, let sendTime = requests.take(key) else {
            return context.measurement.count(\.pushes, ofMessageAt: context.now)
        }
        let reply = event.payload.span.bytes
        if isError {
            context.measurement.mismatched(reply, toMessageAt: sendTime)
        } else {
            workload.check(reply, toRequestAt: sendTime, in: context)
        }
    }

    /// Sends the requests that may follow.
    override func proceed(in context: LoadContext) {
        context.sendAfterReply(on: self) { send(dueAt: $0, in: context) }
    }

    // MARK: Replies

    override func giveUpReplies(before time: UInt64) -> Int { requests.giveUp(before: time) }
    override var isAnswered: Bool { requests.unansweredCount == 0 }
    override var inFlightCount: Int { requests.inFlightCount }
    override func unansweredCount(since time: UInt64) -> Int { requests.unansweredCount(since: time) }
}
