import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

/// Inputs of a pipeline, and the effects and deliveries that follow, in words:
///
///     >TEXT           a message to send, and who sends it
///     deliver TEXT    a message for the command; login TEXT and answered TEXT for the other roles
@Suite struct PipelineTests {
    /// A pipeline with its clock, in seconds.
    private final class Driver {
        let pipeline: Pipeline
        var now: UInt64 = 100

        init(_ pipeline: Pipeline) {
            self.pipeline = pipeline
        }

        private var nanoseconds: UInt64 { now * 1_000_000_000 }

        func open(_ number: UInt64 = 1, at url: WebSocketURL? = nil) -> [String] {
            pipeline.opened(number, at: url, subprotocol: nil, now: nanoseconds)
            return take()
        }

        func receive(_ texts: String...) -> [String] {
            texts.flatMap { receive(Array($0.utf8), as: .text) }
        }

        func receive(_ payload: [UInt8], as kind: MessageKind) -> [String] {
            var delivered: [String] = []
            payload.withUnsafeBytes {
                _ = pipeline.received($0.bytes, as: kind, at: nanoseconds) { payload, kind, role, how in
                    delivered.append(Self.words(for: payload, kind, role, how))
                }
            }
            return delivered + take()
        }

        /// Answers for the program of a codec. Returns what is passed on then.
        func answer(_ line: String, by program: Int = 0) -> [String] {
            let line = Array(line.utf8)
            guard pipeline.answered(line.span.bytes, by: program, named: "x") else { return ["no message waits"] }
            return take() + passOn()
        }

        func passOn() -> [String] {
            var delivered: [String] = []
            while let message = pipeline.nextDecoded() {
                pipeline.pass(message, at: nanoseconds) { payload, kind, role, how in
                    delivered.append(Self.words(for: payload, kind, role, how))
                }
            }
            return delivered
        }

        private static func words(
            for payload: RawSpan, _ kind: MessageKind, _ role: Pipeline.Role, _ how: Decoding?
        ) -> String {
            let text = payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            let codecs =
                switch how?.result {
                case nil: ""
                case .decoded(let codecs)?: " by \(codecs)"
                case .failed(let reason)?: " because \(reason)"
                }
            return "\(role == .message ? "deliver" : "\(role)") \(text)\(kind == .binary ? " (binary)" : "")\(codecs)"
        }

        func submit(_ text: String) -> [String] {
            let bytes = Array(text.utf8)
            do throws(ProtocolInputError) {
                let receipt = try pipeline.submit(bytes.span.bytes, as: .text, wantsReply: false, at: nanoseconds)
                return take() + [receipt.isRenewed ? "renewed" : receipt.heldNumber == nil ? "sent" : "held"]
            } catch {
                return take() + ["error: \(error)"]
            }
        }

        func pass(_ seconds: UInt64) -> [String] {
            now += seconds
            pipeline.timePassed(at: nanoseconds)
            return take()
        }

        /// When the pipeline has to be called next, in seconds.
        var deadline: UInt64? { pipeline.deadline.map { $0 / 1_000_000_000 } }

        private func take() -> [String] {
            var words: [String] = []
            while let effect = pipeline.next() { words.append(Self.words(for: effect)) }
            return words
        }

        private static func words(for effect: Pipeline.Effect) -> String {
            switch effect {
            case .send(let payload, let kind, let purpose):
                kind == .text ? ">\(String(decoding: payload, as: UTF8.self)) (\(purpose))" : ">\(payload) (\(purpose))"
            case .event(let event): "event \(String(decoding: event.line, as: UTF8.self))"
            case .notUnderstood(_, _, _, let reason): "not understood: \(reason)"
            case .decode(let payload, let program): "decode \(String(decoding: payload, as: UTF8.self)) by \(program)"
            default: "\(effect)"
            }
        }
    }

    private static func application(_ name: String) throws -> Pipeline.Application {
        let descriptor = try #require(ApplicationProtocol(named: name))
        return Pipeline.Application(try descriptor.session(ProtocolParameters()), of: descriptor)
    }

    private static func cable() throws -> Driver {
        Driver(
            Pipeline(
                application: try application("actioncable"), readinessTimeout: .seconds(10),
                clockOffset: 0))
    }

    private static func answers(
        first: [String] = [], ready: String? = nil, answers: [String] = [], heartbeat: Duration? = nil
    ) throws -> Driver {
        var plan = AutoReply.Plan()
        plan.firstMessages = try first.map { try Template($0) { _ in nil } }
        plan.ready = ready
        plan.answers = try answers.map { AutoReply.Plan.Answer(try AnswerRule($0) { _ in nil }) }
        plan.heartbeat = try heartbeat.map { .init(try Template("beat {{seq}}") { _ in nil }, every: $0) }
        return Driver(
            Pipeline(
                answers: AutoReply(AutoReply.Rules(plan), seed: 1), readinessTimeout: .seconds(10),
                clockOffset: 0))
    }

    private static let chat = #"{\"channel\":\"Chat\"}"#
    private static let subscribe = #">{"command":"subscribe","identifier":"\#(chat)"} (application)"#
    private static let confirmation = #"{"identifier":"\#(chat)","type":"confirm_subscription"}"#
    private static let rejection = #"{"identifier":"\#(chat)","type":"reject_subscription"}"#
    private static let speak =
        #">{"command":"message","identifier":"\#(chat)","data":"{\"action\":\"speak\"}"} (application)"#

    // MARK: Plain

    @Test("Without stages, messages and lines pass unchanged, and the pipeline is ready at once")
    func plain() {
        let driver = Driver(Pipeline(clockOffset: 0))
        expectEqual(driver.open(), [])
        expectTrue(driver.pipeline.isReady)
        expectEqual(driver.receive("a"), ["deliver a"])
        expectEqual(driver.submit("b").first, ">b (line)")
        expectNil(driver.deadline)
    }

    // MARK: Codecs

    @Test("Messages are delivered as decoded, and lines are encoded")
    func codecs() {
        let codecs = MessageCodecs(decoders: [.messagePack], encoders: [.messagePack], limitBytes: 100)
        let driver = Driver(Pipeline(codecs, clockOffset: 0))
        _ = driver.open()
        expectEqual(driver.receive([0x81, 0xA1, 0x61, 0x01], as: .binary), [#"deliver {"a":1} by msgpack"#])
        expectNil(driver.pipeline.undecodable)
        expectEqual(driver.submit("[1]").first, ">[145, 1] (line)")
        expectEqual(driver.submit("{").first?.hasPrefix("error: "), true)
    }

    @Test("The reason for an undecodable message is that of the last one")
    func undecodable() {
        let driver = Driver(Pipeline(MessageCodecs(decoders: [.messagePack], limitBytes: 100), clockOffset: 0))
        _ = driver.open()
        for (message, isDecodable) in [([0xC1], false), ([0x01], true), ([0xC1], false)] as [([UInt8], Bool)] {
            expectEqual(driver.receive(message, as: .binary).count, 1)
            expectEqual(driver.pipeline.undecodable == nil, isDecodable)
        }
    }

    /// A pipeline whose messages go through programs.
    private static func programs(_ decoders: [Codec], keepsOriginals: Bool = false) -> Driver {
        let codecs = MessageCodecs(decoders: decoders, limitBytes: 1 << 20, keepsOriginals: keepsOriginals)
        let driver = Driver(Pipeline(codecs, clockOffset: 0))
        _ = driver.open()
        return driver
    }

    @Test("Messages keep their order while programs decode, and count in bytes")
    func programOrder() {
        let driver = Self.programs([.program("a"), .program("b"), .json])
        expectEqual(driver.receive(Array("1".utf8), as: .binary), ["decode 1 by 0"])
        expectEqual(driver.receive("text"), [])
        expectEqual(driver.receive(Array("2".utf8), as: .binary), ["decode 2 by 0"])
        expectEqual(driver.pipeline.waitingCount, 3)
        expectEqual(driver.answer("[ 2 ]"), ["decode [ 2 ] by 1"])
        expectEqual(driver.answer("[ 3 ]", by: 1), ["deliver [3] by exec+exec+json", "deliver text"])
        expectEqual(driver.answer("", by: 1), ["no message waits"])
        expectEqual(driver.answer(""), ["deliver 2 (binary) because x answered with an empty line"])
        expectFalse(driver.pipeline.holdsMuch)
        _ = driver.receive([UInt8](repeating: 0, count: 1 << 20), as: .binary)
        expectTrue(driver.pipeline.holdsMuch)
        driver.pipeline.programsFailed(because: "it ended")
        expectTrue(driver.pipeline.holdsMuch)
        expectEqual(driver.passOn().first?.hasSuffix("(binary) because it ended"), true)
        expectFalse(driver.pipeline.holdsMuch)
        expectEqual(driver.receive("direct"), ["deliver direct"])
    }

    @Test("A message of a program keeps the received bytes only until it is decoded, unless an output wants them")
    func originals() {
        for keepsOriginals in [false, true] {
            let driver = Self.programs([.program("a")], keepsOriginals: keepsOriginals)
            _ = driver.receive([1], as: .binary)
            let line: [UInt8] = [0x32]
            expectTrue(driver.pipeline.answered(line.span.bytes, by: 0, named: "a"))
            expectEqual(driver.pipeline.nextDecoded()?.decoding?.original, keepsOriginals ? [1] : nil)
        }
    }

    @Test("Each record of a message is delivered and answered by itself; one without records is hidden")
    func records() throws {
        var plan = AutoReply.Plan()
        let rule = try AnswerRule("^p(.)$ => q$1") { _ in nil }
        plan.answers = [.init(rule)]
        let pipeline = Pipeline(
            MessageCodecs(decoders: [.lines], areReversed: true), answers: AutoReply(.init(plan), seed: 1),
            clockOffset: 0)
        let driver = Driver(pipeline)
        _ = driver.open()
        expectEqual(
            driver.receive("a\np1\nb\np2"),
            [
                "deliver a by lines", "answered p1 by lines", "deliver b by lines", "answered p2 by lines",
                ">q1 (answer)", ">q2 (answer)",
            ])
        expectEqual(driver.receive("\n\n"), ["hidden \n\n by lines"])
        var positions: [Decoding.Position?] = []
        let message = Array("a\np1\nb".utf8)
        let forwarding = pipeline.received(message.span.bytes, as: .text, at: 0) { positions.append($3?.position) }
        expectEqual(positions, [.init(number: 1, count: 3), .init(number: 2, count: 3), .init(number: 3, count: 3)])
        expectEqual(forwarding, .changed(Array("a\nb".utf8)))
    }

    @Test("A program decodes the records of a message one by one, and an empty answer fails the message")
    func programRecords() {
        let driver = Self.programs([.length(.u8), .program("a"), .json])
        let message: [UInt8] = [1, 0x31, 1, 0x32]
        expectEqual(driver.receive(message, as: .binary), ["decode 1 by 0", "decode 2 by 0"])
        expectEqual(driver.answer("[ 1 ]"), [])
        expectEqual(
            driver.answer("[ 2 ]"), ["deliver [1] by length+exec+json", "deliver [2] by length+exec+json"])
        _ = driver.receive(message, as: .binary)
        _ = driver.receive(Array("\u{1}3".utf8), as: .binary)
        expectEqual(driver.answer(""), [])
        expectEqual(driver.answer("2").map { $0.hasSuffix("because x answered with an empty line") }, [true])
        expectEqual(driver.answer("3"), ["deliver 3 by length+exec+json"])
    }

    @Test("An editor changes and drops records before anything else sees them")
    func editing() throws {
        let pipeline = Pipeline(MessageCodecs(decoders: [.lines], areReversed: true), clockOffset: 0)
        pipeline.editor = MessageEditor(
            rewriting: { $0.isEqual(to: Array("a".utf8).span.bytes) ? Array("A".utf8) : nil },
            dropping: [try MessageCondition("^x")])
        func receive(_ text: String) -> [String] {
            var log: [String] = []
            let message = Array(text.utf8)
            func words(_ bytes: RawSpan) -> String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
            let forwarding = pipeline.received(message.span.bytes, as: .text, at: 0) { message, edit in
                let edits = edit.map { "\($0.rewrittenRecords) \($0.droppedRecords) \($0.isDropped)" }
                log.append("\(words(message)) \(edits ?? "-")")
            } deliver: { record, _, role, _ in
                log.append("\(role) \(words(record))")
            }
            return log + ["\(forwarding)"]
        }
        expectEqual(receive("b"), ["b -", "message b", "unchanged"])
        expectEqual(
            receive("a\nx1\nb"),
            [
                "A\nb [1] [2] false", "message A", "hidden x1", "message b",
                "\(RecordEdit.changed(Array("A\nb".utf8)))",
            ])
        expectEqual(receive("x1\nx2"), ["x1\nx2 [] [] true", "hidden x1", "hidden x2", "removed"])
    }

    @Test("Beyond the limit of unfinished messages on all connections, a stream is no longer decoded")
    func unfinished() {
        let shared = UnfinishedMessages(limitBytes: 8)
        func open() -> Driver {
            Driver(Pipeline(MessageCodecs(decoders: [.zlibStream]), sharing: shared, clockOffset: 0))
        }
        // A block of 5 bytes without the flush that ends a message.
        let part: [UInt8] = [0x78, 0x01, 0x00, 0x05, 0x00, 0xFA, 0xFF] + Array("hello".utf8)
        let problem = "because zlib-stream: unfinished messages of all clients take too much memory"
        var first: Driver? = open()
        let second = open()
        expectEqual(first?.receive(part, as: .binary), [])
        expectEqual(second.receive(part, as: .binary).first?.hasSuffix(problem), true)
        expectEqual(second.receive(part, as: .binary).first?.hasSuffix("could not be decompressed"), true)
        first = nil
        expectEqual(open().receive(part, as: .binary), [])
    }

    // MARK: Application protocols

    @Test("Effects are in the order of sending: the greeting, readiness, and events between messages")
    func order() throws {
        let driver = try Self.cable()
        expectEqual(driver.open(), [])
        expectFalse(driver.pipeline.isReady)
        expectEqual(driver.receive(#"{"type":"welcome"}"#), ["event welcome", "ready"])
        expectEqual(driver.submit("subscribe Chat"), [Self.subscribe, "renewed"])
    }

    @Test("A line waits for its subscription, and is dropped if that is refused", arguments: [true, false])
    func held(isConfirmed: Bool) throws {
        let driver = try Self.cable()
        _ = driver.open()
        _ = driver.receive(#"{"type":"welcome"}"#)
        expectEqual(driver.pipeline.lineCause, .subscription)
        _ = driver.submit("subscribe Chat")
        expectEqual(driver.submit("Chat speak"), ["held"])
        let effects = driver.receive(isConfirmed ? Self.confirmation : Self.rejection)
        if isConfirmed {
            expectEqual(effects, ["event Chat subscribed", Self.speak, "\(Pipeline.Effect.lineSent(1))"])
        } else {
            expectEqual(effects.last, "\(Pipeline.Effect.linesDropped([1]))")
        }
    }

    @Test("A connection that ends before the login has a problem")
    func endedBeforeLogin() throws {
        let driver = try Self.cable()
        _ = driver.open()
        expectEqual(driver.pipeline.lineCause, .login)
        let end = ConnectionEnd(
            closing: ClosingHandshake(sent: nil, received: CloseFrame(code: .normalClosure), wasStartedHere: false))
        expectEqual(
            driver.pipeline.ended(end, reconnects: true),
            .ended(CloseFrame(code: .normalClosure), meaning: nil, afterLogin: false))
    }

    @Test("After a failure, nothing more of the protocol follows")
    func failure() throws {
        let driver = try Self.cable()
        _ = driver.open()
        let effects = driver.receive(
            #"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#, #"{"type":"welcome"}"#)
        guard case .refused? = driver.pipeline.problem else {
            Issue.record("not refused: \(effects)")
            return
        }
        expectFalse(effects.contains("ready"))
        expectNil(driver.deadline)
    }

    @Test("A login that takes too long fails at its deadline, and not before")
    func notReady() throws {
        let driver = try Self.cable()
        _ = driver.open()
        expectEqual(driver.deadline, 110)
        expectEqual(driver.pass(9), [])
        expectEqual(driver.pass(1), ["\(Pipeline.Effect.failed(.notReady(after: .seconds(10))))"])
    }

    @Test("The protocol is detected by the first message, which is its own; lines before it pass unchanged")
    func detected() throws {
        let application = Pipeline.Application { descriptor in
            do throws(ProtocolParameterError) {
                return try descriptor.session(ProtocolParameters())
            } catch {
                return nil
            }
        }
        let driver = Driver(Pipeline(application: application, readinessTimeout: .seconds(10), clockOffset: 0))
        expectEqual(driver.open(at: try WebSocketURL(parsing: "ws://h/")), [])
        expectTrue(driver.pipeline.isReady)
        expectEqual(driver.submit("a").first, ">a (line)")
        expectEqual(driver.receive("hello"), ["deliver hello"])
        expectEqual(
            driver.receive(#"{"type":"welcome"}"#),
            [
                "\(Pipeline.Effect.detected("actioncable"))", "event welcome", "ready",
            ])
        expectEqual(driver.pipeline.applicationProtocol?.name, "actioncable")
    }

    @Test("Messages are taken from behind other effects, which keep their order")
    func nextMessage() {
        var effects = EffectQueue()
        effects.append(.ready)
        effects.append(.send([1], .text, .line))
        effects.append(.renewed("a"))
        effects.append(.send([2], .text, .line))
        expectEqual(effects.nextMessage()?.payload, [1])
        expectEqual(effects.nextMessage()?.payload, [2])
        expectNil(effects.nextMessage())
        expectEqual(effects.next(), .ready)
        expectEqual(effects.next(), .renewed("a"))
        expectTrue(effects.isEmpty)
    }

    // MARK: Answers

    @Test("First messages precede the answers to messages that arrive with the opening handshake")
    func greeting() throws {
        let driver = try Self.answers(first: ["login"], answers: ["^ping => pong"])
        driver.pipeline.opened(1, subprotocol: nil, now: 0)
        expectEqual(driver.receive("ping"), ["answered ping", ">login (greeting)", ">pong (answer)"])
        expectEqual(driver.receive("news"), ["deliver news"])
    }

    @Test("Messages before the one that --ready asks for belong to the login")
    func login() throws {
        let driver = try Self.answers(ready: "^welcome")
        expectEqual(driver.open(), [])
        expectFalse(driver.pipeline.isReady)
        expectEqual(driver.deadline, 110)
        expectEqual(driver.receive("wait", "welcome"), ["login wait", "login welcome", "ready"])
        expectNil(driver.deadline)
        _ = driver.open(2)
        expectFalse(driver.pipeline.isReady)
        expectEqual(driver.pass(10), ["\(Pipeline.Effect.failed(.notReady(after: .seconds(10))))"])
    }

    @Test("Heartbeats are skipped rather than sent in a burst")
    func heartbeats() throws {
        let driver = try Self.answers(heartbeat: .seconds(20))
        _ = driver.open()
        expectNil(driver.deadline)
        driver.pipeline.startHeartbeats(at: 100_000_000_000)
        expectEqual(driver.deadline, 120)
        expectEqual(driver.pass(20), [">beat 1 (line)"])
        expectEqual(driver.pass(65), [">beat 2 (line)"])
        expectEqual(driver.deadline, 205)
    }
}
