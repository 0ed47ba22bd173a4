import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

/// What a pipeline with held messages does, in words: `hold 1 TEXT`, `settle 1 HOW`, `arrive TEXT`, and `deliver TEXT`.
@Suite struct HeldMessagesTests {
    private final class Driver {
        let pipeline: Pipeline
        let held = HeldMessages(side: nil, client: nil, path: nil)
        private var words: [String] = []
        private var lastNumber = 0

        init(holding condition: String, _ codecs: MessageCodecs = MessageCodecs()) throws {
            pipeline = Pipeline(codecs, clockOffset: 0)
            held.conditions = [try MessageCondition(condition)]
            pipeline.held = held
            held.makeNumber = { [unowned self] in
                lastNumber += 1
                return lastNumber
            }
            held.didHold = { [unowned self] entry in
                if case .message(let message) = entry.item {
                    words.append(
                        "hold \(entry.number) \(Self.text(message.shown.span.bytes))\(entry.isBehind ? " behind" : "")")
                }
            }
            held.didSettle = { [unowned self] in words.append("settle \($0.number) \($1.rawValue)") }
            held.close = { [unowned self] in words.append("close \($0.code?.rawValue ?? 0)") }
            held.pass = { [unowned self] message, verdict in
                take { pipeline.settle(message, verdict, at: 0, arrived: $0, deliver: $1) }
            }
        }

        private static func text(_ bytes: RawSpan) -> String {
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }

        private func take(_ pass: (Pipeline.Arrival, Pipeline.Delivery) -> RecordEdit) {
            _ = pass { message, edit in
                words.append("arrive \(Self.text(message))\(edit?.isEdited == true ? " edited" : "")")
            } _: { record, _, role, _ in
                words.append("\(role == .hidden ? "drop" : "deliver") \(Self.text(record))")
            }
        }

        func receive(_ texts: String..., as kind: MessageKind = .text) -> [String] {
            for text in texts {
                let bytes = Array(text.utf8)
                take { pipeline.received(bytes.span.bytes, as: kind, at: 0, arrived: $0, deliver: $1) }
            }
            return takeWords()
        }

        func takeWords() -> [String] {
            defer { words = [] }
            return words
        }
    }

    @Test func `messages behind a held one pass by themselves, in order`() throws {
        let driver = try Driver(holding: "^h")
        #expect(driver.receive("a", "h1", "b") == ["arrive a", "deliver a", "hold 1 h1", "hold 2 b behind"])
        #expect(driver.held.hold(CloseFrame(code: .normalClosure)))
        try driver.held.release(1, as: nil)
        #expect(
            driver.takeWords() == [
                "settle 1 released", "arrive h1", "deliver h1", "settle 2 released", "arrive b", "deliver b",
                "settle 3 released", "close 1000",
            ])
        #expect(!driver.held.hold(CloseFrame(code: .normalClosure)))
    }

    @Test func `a message that is released early waits for those before it`() throws {
        let driver = try Driver(holding: "^h")
        _ = driver.receive("h1", "h2")
        try driver.held.release(2, as: (Array("new".utf8), .text))
        #expect(driver.takeWords() == [])
        _ = driver.held.drop(1)
        #expect(
            driver.takeWords() == [
                "settle 1 dropped", "arrive h1", "drop h1", "settle 2 edited", "arrive new edited", "deliver new",
            ])
    }

    @Test func `what is left when a side is gone is dropped`() throws {
        let driver = try Driver(holding: "^h")
        _ = driver.receive("h1", "b")
        _ = driver.held.hold(CloseFrame(code: .goingAway))
        let (count, frame) = driver.held.lose()
        #expect(count == 2 && frame == CloseFrame(code: .goingAway))
        #expect(driver.takeWords().filter { $0.hasPrefix("settle") } == (1...3).map { "settle \($0) lost" })
    }

    @Test func `everything is released in order at a limit`() throws {
        let driver = try Driver(holding: "^h")
        _ = driver.receive("h1", "b", "h2")
        driver.held.releaseAll(because: .limit)
        #expect(driver.takeWords().filter { $0.hasPrefix("deliver") } == ["deliver h1", "deliver b", "deliver h2"])
    }

    @Test func `a decoded message is shown and edited in its decoded form`() throws {
        let driver = try Driver(holding: "json:.a==1", MessageCodecs(decoders: [.messagePack], areReversed: true))
        #expect(driver.receive("\u{81}", as: .text).isEmpty == false)
        let message: [UInt8] = [0x81, 0xA1, 0x61, 0x01]
        _ = driver.pipeline.received(message.span.bytes, as: .binary, at: 0) { _, _, _, _ in }
        #expect(driver.takeWords() == [#"hold 1 {"a":1}"#])
        #expect(throws: CodecError.self) { try driver.held.release(1, as: (Array("no JSON".utf8), .text)) }
        try driver.held.release(1, as: (Array(#"{"a":7}"#.utf8), .text))
        #expect(driver.takeWords().last == #"deliver {"a":7}"#)
    }
}
