import Conversation
import Formats
import WSCore

/// A connection that sends requests as lines of an application protocol, which identifies their replies.
internal final class ProtocolRequestConnection: LoadConnection, LoadHandler {
    /// What a request and its reply have in common.
    private enum RequestID: Hashable {
        /// The key that the protocol gives both.
        case key(ProtocolEvent.ReplyKey)
        /// The number of the request, if the protocol gives it no key: with `--reply-end`, the oldest request is answered.
        case number(UInt64)
    }

    private let workload: RequestWorkload
    private var requests = RequestLedger<RequestID>()
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
            if let key = sent.receipt.key {
                requests.send(.key(key), at: time)
            } else if workload.replyEnd != nil {
                requests.send(.number(nextNumber), at: time)
            } else {
                throw ProtocolInputError("it has no reply, so there is no latency")
            }
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
        context.receive(payload, as: kind, on: self) { _ in }
    }

    override func received(_ event: ProtocolEvent, in context: LoadContext) {
        if case .reply(nil, _) = event.role {
            let words = String(decoding: event.line, as: UTF8.self)
            context.host?.protocolFailed(on: self, because: .error(words))
            return
        }
        if let replyEnd = workload.replyEnd { return receivedPart(event, endingWith: replyEnd, in: context) }
        guard case .reply(let key?, let isError) = event.role, let sendTime = requests.take(.key(key)) else {
            return context.measurement.count(\.pushes, ofMessageAt: context.now)
        }
        finish(event, isError: isError, isByOrder: false, sentAt: sendTime, in: context)
    }

    /// Adds an event to the reply with its key or, without one, to the reply to the oldest request.
    private func receivedPart(
        _ event: ProtocolEvent, endingWith replyEnd: MessageCondition, in context: LoadContext
    ) {
        var (id, isError): (RequestID?, Bool) = (nil, false)
        if case .reply(let key?, let isErrorReply) = event.role {
            isError = isErrorReply
            if requests.isInFlight(.key(key)) || requests.isGivenUp(.key(key)) { id = .key(key) }
        }
        let payload = event.payload.span.bytes
        let isByOrder = id == nil
        guard let id = id ?? requests.oldestValue, let stream = requests.addMessage(to: id, at: context.now) else {
            context.measurement.count(\.pushes, ofMessageAt: context.now)
            return context.surplus(on: self)
        }
        guard isError || replyEnd.matches(event.line.span.bytes, payload: payload), let sendTime = requests.take(id)
        else { return }
        finish(event, isError: isError, stream: stream, isByOrder: isByOrder, sentAt: sendTime, in: context)
    }

    /// Records a reply, or the last event of one that consists of several.
    private func finish(
        _ event: ProtocolEvent, isError: Bool, stream: ReplyStream? = nil, isByOrder: Bool, sentAt sendTime: UInt64,
        in context: LoadContext
    ) {
        let reply = event.payload.span.bytes
        if isError {
            context.measurement.mismatched(reply, toMessageAt: sendTime)
        } else {
            workload.check(
                reply, toRequestAt: sendTime, stream: stream, on: self, isByOrder: isByOrder, in: context)
        }
    }

    /// Sends the requests that may follow.
    override func proceed(in context: LoadContext) {
        guard context.sendsAfterReply(on: self) else { return }
        while let now = context.timeAfterReply(on: self) {
            guard send(dueAt: now, in: context) else { return }
            context.countSent(dueAt: now)
        }
    }

    // MARK: Replies

    override func giveUpReplies(before time: UInt64) -> Int { requests.giveUp(before: time) }
    override var isAnswered: Bool { requests.unansweredCount == 0 }
    override var inFlightCount: Int { requests.inFlightCount }
    override func unansweredCount(since time: UInt64) -> Int { requests.unansweredCount(since: time) }
}
