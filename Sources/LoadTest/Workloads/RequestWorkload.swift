import Conversation
import Formats
import WSCore

extension BenchMode {
    /// Sends requests and waits for replies of any content.
    package static let request = BenchMode(
        name: "request",
        summary: "measure replies of a server that does not echo",
        manual: """
            Send the messages of `--message` and `--file` as requests, with `--in-flight` requests in flight on \
            each connection, or at `--rate`. The reply to a request is the next message received or, with \
            `--correlate`, the message with the same value in a JSON field. The latency is the time to the reply. With \
            `--protocol`, requests are lines of the protocol, which finds their replies, and replies that report \
            an error are `mismatched`. If the test fails, the error message shows the first `mismatched` reply.
            """,
        options: [
            .connectRate, .messages, .rate, .ramp, .think, .lifetime, .stages, .inFlight, .replyTimeout, .message,
            .file, .binary, .heartbeatMessage, .applicationProtocol, .encode,
        ],
        ownOptions: [.correlate, .expect, .replyEnd],
        wording: ModeWording(
            title: "Request test", titleNamesMessages: true, countedThings: "replies", sentThings: "requests",
            receivedVerb: "answered",
            expectation: "each request must have one reply, which is no error and matches every --expect"),
        metrics: ModeMetrics(accountsForAllSent: true),
        load: ModeLoad(messages: .always),
        problem: RequestWorkload.problem,
        makeWorkload: { RequestWorkload($0) })
}

/// Sends requests and matches their replies, by order or by an id.
internal final class RequestWorkload: Workload {
    let context: LoadContext
    var message: EchoMessage
    let kind: MessageKind
    /// The location of the id that a request and its reply have in common, or `nil` if replies arrive in order.
    fileprivate let correlation: Correlation?
    /// The conditions that each reply has to meet.
    private let expectations: [MessageCondition]
    /// The condition on the last message of a reply, or `nil` if each reply is one message.
    let replyEnd: MessageCondition?
    var patterns: [Pattern] {
        (expectations + [replyEnd].compactMap(\.self)).compactMap(\.pattern) + context.factory.patterns
    }
    /// The maximum number of requests in flight per connection in a closed loop.
    let inFlight: Int
    /// Whether messages are encoded.
    fileprivate let encodes: Bool

    /// Creates a workload that sends the plan's messages on all connections.
    init(_ context: LoadContext) {
        self.context = context
        message = context.factory.makeEchoMessage()
        kind = context.plan.messages.kind
        correlation = context.plan.replies.correlation
        expectations = context.plan.replies.expectations.map { MessageCondition(valid: $0) }
        replyEnd = context.plan.replies.end.map { MessageCondition(valid: $0) }
        if replyEnd != nil { context.measurement.streams = StreamRecorder() }
        inFlight = context.plan.pace.inFlight
        encodes = context.plan.conversation.codecs?.encoders.isEmpty == false
    }

    @Sendable
    fileprivate static func problem(of plan: LoadPlan) -> LoadPlanProblem? {
        let templates = plan.messages.templates
        guard !templates.isEmpty else {
            return LoadPlanProblem(option: "--mode request", reason: "no request is given; add --message or --file")
        }
        if let problem = plan.codecProblem { return problem }
        guard let correlation = plan.replies.correlation else {
            return plan.protocolProblem(needsReplies: plan.replies.end == nil)
        }
        var message = plan.makeEchoMessage(rows: plan.data?.sample, clockOffset: 0)
        var ids: [JSONScalar: Int] = [:]
        // Each message twice, as a connection sends it.
        for number in 0..<2 * templates.count {
            message.set(EchoMessage.Stamp(number: UInt64(number), connection: 0, time: 0))
            let name = templates.count == 1 ? "the message" : "message \(number % templates.count + 1)"
            guard let id = message.withBytes({ correlation.request.values(in: $0).first }) else {
                return LoadPlanProblem(
                    option: "--correlate \(correlation.source)",
                    reason: "\(name) has no such JSON field with a string or number; add one, such as {\"id\":{{seq}}}")
            }
            guard ids.updateValue(number, forKey: id) == nil || !plan.overlapsRequests else {
                return LoadPlanProblem(
                    option: "--correlate \(correlation.source)",
                    reason: "requests in flight would have the same value \(id); use {{seq}} to number them")
            }
        }
        return nil
    }

    func makeConnection(_ number: UInt64) -> any LoadHandler {
        context.plan.conversation.applicationProtocol == nil
            ? RequestConnection(number, of: self) : ProtocolRequestConnection(number, of: self)
    }

    /// Checks the contents of a reply, and records its latency.
    /// - Parameters:
    ///   - reply: The reply, or the last message of one that consists of several.
    ///   - stream: The messages of the reply, if it may consist of several.
    ///   - isByOrder: Whether the reply was matched by its order.
    @inline(__always)
    func check(
        _ reply: RawSpan, toRequestAt sendTime: UInt64, stream: ReplyStream? = nil,
        on connection: LoadConnection, isByOrder: Bool, in context: LoadContext
    ) {
        if expectations.allSatisfy({ $0.matches(reply) }) {
            guard isByOrder else {
                return context.measurement.answered(
                    on: connection.number, sentAt: sendTime, after: connection.takeWait(ofMessageAt: sendTime),
                    by: stream, now: context.now)
            }
            context.answered(inOrderOn: connection, sentAt: sendTime, by: stream, isLast: connection.isAnswered)
        } else {
            context.measurement.mismatched(reply, toMessageAt: sendTime)
        }
    }

    /// Matches a reply, records its latency, and sends the requests that may follow.
    @inline(__always)
    fileprivate func received(
        _ payload: RawSpan, as kind: MessageKind, by connection: RequestConnection, in context: LoadContext,
        replyingOn port: some LoadPort
    ) {
        context.receive(payload, as: kind, on: connection) { payload in
            match(payload, by: connection, in: context)
            guard context.sendsAfterReply(on: connection) else { return }
            while let now = context.timeAfterReply(on: connection) {
                let isSent =
                    encodes
                    ? connection.sendEncoded(dueAt: now)
                    : connection.sendRequest(dueAt: now) { port.send($0, as: self.kind) }
                guard isSent else { return }
                context.countSent(dueAt: now)
            }
        }
    }

    /// Matches a reply, and records its latency.
    @inline(__always)
    fileprivate func match(_ payload: RawSpan, by connection: RequestConnection, in context: LoadContext) {
        if let replyEnd { return matchPart(payload, isLast: replyEnd.matches(payload), by: connection, in: context) }
        if let sendTime = connection.takeRequest(answeredBy: payload) {
            check(payload, toRequestAt: sendTime, on: connection, isByOrder: connection.isByOrder, in: context)
        } else {
            countPush(payload, on: connection, in: context)
        }
    }

    /// Counts a message that answers no request.
    private func countPush(_ payload: RawSpan, on connection: RequestConnection, in context: LoadContext) {
        context.measurement.count(\.pushes, ofMessageAt: context.now)
        if connection.mayAnswer(payload) { context.surplus(on: connection) }
    }
}

extension RequestWorkload {
    /// Matches a message of a reply that may consist of several.
    @inline(never)
    fileprivate func matchPart(
        _ payload: RawSpan, isLast: Bool, by connection: RequestConnection, in context: LoadContext
    ) {
        guard let stream = connection.addPart(payload, at: context.now) else {
            return countPush(payload, on: connection, in: context)
        }
        guard isLast, let sendTime = connection.takeRequest(answeredBy: payload) else { return }
        check(
            payload, toRequestAt: sendTime, stream: stream, on: connection, isByOrder: connection.isByOrder, in: context
        )
    }
}

/// A connection that sends requests and receives replies.
internal final class RequestConnection: RoundTripConnection, LoadHandler {
    private let workload: RequestWorkload
    /// The unanswered requests by their id. Empty if replies arrive in order.
    private var requests = RequestLedger<JSONScalar>()
    private let isByID: Bool
    /// The messages of the reply to the oldest request, if replies arrive in order and may consist of several.
    private var stream = ReplyStream()

    init(_ number: UInt64, of workload: RequestWorkload) {
        self.workload = workload
        isByID = workload.correlation != nil
        super.init(number, remembered: workload.inFlight, in: workload.context)
    }

    override var hasNext: Bool { inFlightCount < workload.inFlight }

    /// Whether replies have no identities.
    fileprivate var isByOrder: Bool { !isByID || requests.hasReusedValues || requests.hasRepeatedValues }

    /// Whether a message that arrives while no request is in flight could have been taken for the reply to one.
    fileprivate func mayAnswer(_ payload: RawSpan) -> Bool {
        guard isByOrder, let correlation = workload.correlation else { return !isByID }
        return correlation.replyIDs(in: payload) { _ in true } != nil
    }

    override func send(dueAt time: UInt64) -> Bool {
        workload.encodes
            ? hasRoom && sendEncoded(dueAt: time) : sendRequest(dueAt: time) { send($0, as: workload.kind) }
    }

    /// Sends the next request. Returns `false` if it cannot be sent.
    @inline(__always)
    fileprivate func sendRequest(dueAt time: UInt64, _ send: (RawSpan) -> Bool) -> Bool {
        workload.message.set(nextStamp(dueAt: time))
        guard workload.message.withBytes({ send($0) }) else { return false }
        didSend(at: time)
        return true
    }

    /// Sends the next request through the pipeline, which encodes it.
    fileprivate func sendEncoded(dueAt time: UInt64) -> Bool {
        guard let pipeline else { return false }
        return sendRequest(dueAt: time) { context.send($0, as: workload.kind, on: self, through: pipeline) }
    }

    /// Records the message of the workload as the next request.
    private func didSend(at time: UInt64) {
        ledger.send(at: time)
        guard let correlation = workload.correlation else { return }
        // The ledger only numbers the requests.
        _ = ledger.takeFirst()
        // The plan has been checked: each request has a value.
        if let value = workload.message.withBytes({ correlation.request.values(in: $0).first }) {
            requests.send(value, at: time)
            if requests.hasReusedValues { context.doubt(self) }
        }
    }

    /// Adds a message to the reply that it belongs to. Returns the reply so far, or `nil` for a message that answers no
    /// request.
    fileprivate func addPart(_ payload: RawSpan, at now: UInt64) -> ReplyStream? {
        if isByID { return request(answeredBy: payload).flatMap { requests.addMessage(to: $0, at: now) } }
        guard ledger.expectedCount > 0 else { return nil }
        stream.received(at: now)
        return stream
    }

    /// Removes the request that a message answers. Returns its send time, or `nil` for a message that answers none.
    fileprivate func takeRequest(answeredBy payload: RawSpan) -> UInt64? {
        if isByID { return request(answeredBy: payload).flatMap { requests.take($0) } }
        stream = ReplyStream()
        return ledger.expectedCount > 0 ? ledger.takeFirst() : nil
    }

    /// The id of the request that a message answers, or `nil` for a message that answers none.
    private func request(answeredBy payload: RawSpan) -> JSONScalar? {
        guard let correlation = workload.correlation else { return nil }
        let ids =
            correlation.replyIDs(in: payload) { requests.isInFlight($0) }
            ?? correlation.replyIDs(in: payload) { requests.isGivenUp($0) }
        return ids?.first { requests.isInFlight($0) || requests.isGivenUp($0) }
    }

    override func giveUpReplies(before time: UInt64) -> Int {
        isByID ? requests.giveUp(before: time) : super.giveUpReplies(before: time)
    }

    override var isAnswered: Bool { isByID ? requests.unansweredCount == 0 : super.isAnswered }
    override var inFlightCount: Int { isByID ? requests.inFlightCount : super.inFlightCount }
    override func unansweredCount(since time: UInt64) -> Int {
        isByID ? requests.unansweredCount(since: time) : super.unansweredCount(since: time)
    }

    func connection(_ connection: Connection<RequestConnection>, received payload: RawSpan, as kind: MessageKind) {
        receive(payload, as: kind, replyingOn: connection)
    }

    /// Matches a reply, records its latency, and sends the requests that may follow.
    @inline(__always)
    func receive(_ payload: RawSpan, as kind: MessageKind, replyingOn port: some LoadPort) {
        workload.received(payload, as: kind, by: self, in: context, replyingOn: port)
    }
}
