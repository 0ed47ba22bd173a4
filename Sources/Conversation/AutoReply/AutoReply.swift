import Formats
import WSCore

/// The messages that one end of a connection sends by itself: its first messages, and answers.
///
///     begin ─► first messages sent ─► opening ── a message matches ready ──► ready
///                               └──────────── without ready ─────────────────▲
///
/// Until the peer is ready, all its messages belong to the opening, which is usually a login. Rules answer messages at
/// any time.
package final class AutoReply {
    /// The rules of one end, which can be shared by threads.
    package struct Plan: Equatable, Sendable {
        /// An answer to the messages that meet a condition.
        package struct Answer: Equatable, Sendable {
            /// The messages that are answered.
            package let condition: ScopedCondition
            /// The answer; see ``AnswerRule``.
            package let answer: Template
            /// The name of the program that answers, and its arguments, or `nil` for a text.
            package let program: [String]?

            /// Creates the plan of a rule.
            package init(_ rule: AnswerRule) {
                condition = rule.scoped
                answer = rule.answer
                program = rule.program
            }
        }

        /// A message that is sent again and again.
        package struct Heartbeat: Equatable, Sendable {
            fileprivate let message: Template
            fileprivate let interval: Duration

            /// Plans a text message, which must not insert values of messages.
            /// - Parameter interval: The time between two messages; more than 0.
            package init(_ message: Template, every interval: Duration) {
                (self.message, self.interval) = (message, interval)
            }
        }

        /// Sent in order when a connection opens. They must not insert values of messages.
        package var firstMessages: [Template] = []
        /// A valid ``MessageCondition`` for the message that ends the opening, or `nil` if the opening ends with
        /// the first messages.
        package var ready: String?
        /// The first matching rule answers a message.
        package var answers: [Answer] = []
        /// Whether rules also answer the message that ends the opening.
        package var answersReadiness = false
        /// Sent again and again, or `nil` to send nothing.
        package var heartbeat: Heartbeat?
        /// The names of the variables that the templates insert.
        package var variables = VariableNames()
        /// The first values of the variables, or `nil` if the caller sets them.
        package var row: DataRow?
        /// The variables that received messages set.
        package var extractions: [Extraction] = []

        /// Plans no messages, and an opening that ends at once.
        package init() {}

        /// Whether nothing happens by itself.
        package var isEmpty: Bool { firstMessages.isEmpty && ready == nil && answers.isEmpty && heartbeat == nil }
    }

    /// The compiled rules for the connections of one thread.
    package struct Rules {
        fileprivate let plan: Plan
        fileprivate let ready: MessageCondition?
        fileprivate private(set) var answers: [AnswerRule]
        fileprivate let usesLastMessage: Bool

        /// Compiles the conditions of a plan.
        package init(_ plan: Plan) {
            self.plan = plan
            ready = plan.ready.map { MessageCondition(valid: $0) }
            answers = plan.answers.map { AnswerRule($0.condition, answer: $0.answer, program: $0.program) }
            usesLastMessage = answers.contains { $0.answer.usesLastMessage }
        }

        /// The rules for one side of a client's connection, or `nil` if there are none. Those without a side are for the
        /// messages of clients.
        /// - Parameter path: The path of the client's request in normalized form, or `nil` if it has none.
        package func concerning(_ side: RelaySide, at path: String?) -> Rules? {
            var rules = self
            rules.answers = answers.filter { $0.scoped.limited(to: .client).scope.includes(side, at: path) }
            return side == .server && rules.answers.isEmpty || rules.isEmpty ? nil : rules
        }

        private var isEmpty: Bool {
            plan.firstMessages.isEmpty && ready == nil && answers.isEmpty && plan.heartbeat == nil
        }

        /// The regular expressions in use.
        package var patterns: [Pattern] {
            ((ready.map { [$0] } ?? []) + answers.map(\.condition)).compactMap(\.pattern)
        }
    }

    /// The part that a received message plays.
    package enum Finding: Equatable {
        /// None.
        case none
        /// The message belongs to the opening.
        case opening
        /// The message ends the opening. A rule may have answered it.
        case ready
        /// A rule has answered the message.
        case answered
    }

    /// An answer that waits for the one of a program to an earlier message.
    private struct WaitingAnswer {
        /// The number of the program's run, or `nil` for a text.
        let ticket: Int?
        /// The messages, or `nil` as long as the program runs.
        var texts: [[UInt8]]?

        /// The size in memory, in bytes.
        var byteCount: Int { (texts ?? []).reduce(64) { $0 + $1.count + 32 } }
    }

    /// The size of answers that wait, in bytes, above which the peer pauses.
    private static let waitingLimitBytes = 1 << 20

    private let rules: Rules
    /// Starts a program that answers a message: its name and arguments, the message, and the ticket for ``programEnded(_:with:)``.
    package var startProgram: ([String], RawSpan, Int) -> Void = { _, _, _ in }
    private var waiting: [WaitingAnswer] = []
    private var waitingBytes = 0
    /// The number of texts among them.
    private var waitingTexts: UInt64 = 0
    private var lastTicket = 0
    /// The size of the answers to the records of a message, in bytes, and whether the limit has been reported.
    private var answered = (bytes: 0, isReported: false)
    /// Beyond it, the further records of a message are not answered: a small message may have many.
    private static let answeredLimitBytes = 1 << 20
    /// What an answer costs besides its text, in bytes; one of a program at least.
    private static let answerCostBytes = 1 << 10
    /// The values that templates insert.
    package var variables: TemplateVariables
    /// The properties of the next message that is sent automatically.
    private var stamp = Template.Stamp(sequence: 0, connection: 0, time: 0, seed: 0)
    private var seeds: SeededRandom
    /// Whether the opening has ended.
    package private(set) var isReady = false
    private var message = ByteBuffer()

    /// Prepares the messages before the first connection.
    /// - Parameter seed: Determines random placeholders.
    package init(_ rules: Rules, seed: UInt64) {
        self.rules = rules
        variables = TemplateVariables(rules.plan.variables)
        if let row = rules.plan.row { variables.set(row) }
        seeds = SeededRandom(seed: seed)
    }

    /// The time between heartbeats, or `nil` if there are none.
    package var heartbeatInterval: Duration? { rules.plan.heartbeat?.interval }

    /// The number of messages sent automatically, with those of earlier connections if they count.
    package var sentCount: UInt64 { stamp.sequence - waitingTexts }

    /// Begins a connection, before anything is received on it.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - sentCount: The number of messages that earlier connections with this number have sent. Defaults to 0.
    package func begin(connection number: UInt64, sentCount: UInt64 = 0) {
        stamp.connection = number
        discardWaiting()
        stamp.sequence = sentCount
        isReady = rules.ready == nil
    }

    /// Sends the first messages. Messages may already have been received, even the one that ends the opening.
    /// - Parameters:
    ///   - time: The time in milliseconds since 1970.
    ///   - send: Sends a text message.
    /// - Throws: ``TemplateValueError`` if a first message needs a value that does not exist.
    package func sendFirstMessages(
        at time: UInt64, send: (RawSpan) -> Void
    ) throws(TemplateValueError) {
        for template in rules.plan.firstMessages {
            beginMessage(at: time)
            try template.write(to: &message, stamp: stamp, variables: variables)
            message.withReadableBytes { send($0) }
        }
    }

    /// Sends a heartbeat, if there is one. The caller decides when.
    /// - Parameters:
    ///   - time: The time in milliseconds since 1970.
    ///   - send: Sends a text message.
    /// - Throws: ``TemplateValueError`` if the message needs a value that does not exist.
    package func sendHeartbeat(at time: UInt64, send: (RawSpan) -> Void) throws(TemplateValueError) {
        guard let heartbeat = rules.plan.heartbeat else { return }
        beginMessage(at: time)
        try heartbeat.message.write(to: &message, stamp: stamp, variables: variables)
        message.withReadableBytes { send($0) }
    }

    /// Begins a received message, whose records follow.
    package func beginReceiving() { answered = (0, false) }

    /// Answers a received message if a rule matches.
    /// - Parameters:
    ///   - time: The time in milliseconds since 1970.
    ///   - send: Sends a text message.
    /// - Throws: ``TemplateValueError`` if the answer needs a value that does not exist. Nothing has been sent.
    package func receive(
        _ payload: RawSpan, at time: UInt64, send: (RawSpan) -> Void
    ) throws(TemplateValueError) -> Finding {
        for extraction in rules.plan.extractions { extraction.update(&variables, from: payload) }
        let endsOpening = !isReady && rules.ready?.matches(payload) == true
        if endsOpening { isReady = true }
        let unanswered = endsOpening ? Finding.ready : isReady ? .none : .opening
        guard !rules.answers.isEmpty, !endsOpening || rules.plan.answersReadiness else { return unanswered }
        guard answered.bytes <= Self.answeredLimitBytes else {
            if answered.isReported { return unanswered }
            answered.isReported = true
            throw .tooManyAnswers(limitBytes: Self.answeredLimitBytes)
        }
        if rules.usesLastMessage { variables.setLastMessage(payload) }
        beginMessage(at: time)
        for rule in rules.answers {
            if let program = rule.program {
                guard rule.condition.matches(payload) else { continue }
                // Each line that it writes will be a message.
                stamp.sequence -= 1
                answered.bytes += Self.answerCostBytes
                lastTicket += 1
                wait(WaitingAnswer(ticket: lastTicket))
                startProgram(program, payload, lastTicket)
                return endsOpening ? .ready : .answered
            }
            guard try rule.append(to: &message, answering: payload, stamp: stamp, variables: variables) else {
                continue
            }
            answered.bytes += message.count + Self.answerCostBytes
            if waiting.isEmpty {
                message.withReadableBytes { send($0) }
            } else {
                waitingTexts += 1
                wait(
                    WaitingAnswer(ticket: nil, texts: [message.withReadableBytes { $0.withUnsafeBytes { Array($0) } }]))
            }
            return endsOpening ? .ready : .answered
        }
        stamp.sequence -= 1
        return unanswered
    }

    // MARK: Programs

    /// Whether so many answers wait for a program that the peer should pause.
    package var holdsMuch: Bool { waitingBytes > Self.waitingLimitBytes }

    /// Handles the end of a program. ``takeWaiting()`` returns its messages.
    /// - Parameter texts: Its messages; none if it has failed.
    package func programEnded(_ ticket: Int, with texts: [[UInt8]]) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waitingBytes -= waiting[index].byteCount
        waiting[index].texts = texts
        waitingBytes += waiting[index].byteCount
    }

    /// Removes and returns the messages that no longer wait for a program, in the order of sending.
    package func takeWaiting() -> [[UInt8]] {
        let ready = waiting.prefix { $0.texts != nil }
        var texts: [[UInt8]] = []
        for answer in ready {
            waitingBytes -= answer.byteCount
            texts += answer.texts ?? []
            if answer.ticket == nil { waitingTexts -= 1 } else { stamp.sequence += UInt64(answer.texts?.count ?? 0) }
        }
        waiting.removeFirst(ready.count)
        return texts
    }

    /// Discards the answers that wait, because the connection has ended.
    package func discardWaiting() {
        stamp.sequence -= waitingTexts
        waiting = []
        (waitingBytes, waitingTexts) = (0, 0)
    }

    private func wait(_ answer: WaitingAnswer) {
        waiting.append(answer)
        waitingBytes += answer.byteCount
    }

    private func beginMessage(at time: UInt64) {
        message.removeAll()
        stamp.sequence += 1
        stamp.time = time
        stamp.seed = seeds.next()
    }
}
