import Conversation
import Formats
import Testing

@testable import Connect
@testable import Peer
@testable import UserInterface
@testable import WSCore

/// Runs with `--decode` and `--encode`, with peers in memory.
@Suite struct CodecTests {
    /// `{"a":1}` in MessagePack.
    private static let message: [UInt8] = [0x81, 0xA1, 0x61, 0x01]

    /// A run whose peer echoes binary messages, after a damaged one.
    private func echo(_ change: (inout ConnectArguments) -> Void) -> ConnectFixture {
        let fixture = ConnectFixture(change)
        fixture.didReceive = { peer, event in
            switch event {
            case .binary(let bytes): peer.send(binary: bytes)
            case .text(let text): peer.send(text)
            default: break
            }
        }
        return fixture
    }

    @Test("Input lines are encoded, and replies are decoded")
    func roundTrip() throws {
        let fixture = echo {
            $0.codecs.encoders = [.messagePack]
            $0.codecs.decoders = [.messagePack]
            $0.ending.count = 2
            $0.ending.until = ["7"]
        }
        fixture.input = "{ \"a\": 1 }\n7\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "{\"a\":1}\n7\n")
        #expect(outcome.peers[0].received == [.binary(Self.message), .binary([7]), .close(1000)])
        #expect(outcome.notices.isEmpty)
    }

    @Test(
        "An empty message is shown without an error that blames another codec",
        arguments: [[Codec.zlibStream, .json], [.auto]])
    func emptyMessage(decoders: [Codec]) throws {
        let fixture = ConnectFixture {
            $0.codecs.decoders = decoders
            $0.format.output = .json
            $0.ending.count = 1
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(binary: [])
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output.contains(#""opcode":"binary","bytes":0"#) && !outcome.output.contains("decode_error"))
        #expect(outcome.notices.isEmpty)
    }

    @Test("Replies are matched by a field of their decoded form")
    func correlation() throws {
        let fixture = echo {
            $0.codecs.encoders = [.cbor]
            $0.codecs.decoders = [.auto]
            $0.replies.correlation = Correlation("id")
            $0.messages.texts = [#"{"id":1}"#, #"{"id":2}"#]
            $0.format.output = .json
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output.contains(#""bytes":5,"data":"{\"id\":2}","decoded":"cbor","request":2"#))
    }

    @Test("Input that cannot be encoded ends the run")
    func badInput() throws {
        let fixture = echo { $0.codecs.encoders = [.messagePack] }
        fixture.input = "1\nnot JSON\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input message 2: msgpack: not JSON: ") ?? false)
        #expect(outcome.peers[0].received.contains(.binary([1])))
    }

    @Test("A message of the command line that cannot be encoded is an error before the connection")
    func badMessage() throws {
        let fixture = echo {
            $0.codecs.encoders = [.messagePack]
            $0.messages.texts = ["1", "{"]
        }
        #expect(throws: Failure.self) { try fixture.run() }
    }

    @Test(
        "A text of --first-message or --answer that cannot be encoded is an error before the connection",
        arguments: [
            (first: ["hi"], answers: [], option: "--first-message"),
            (first: ["1"], answers: ["ping => pong"], option: "--answer"),
        ])
    func badOption(first: [String], answers: [String], option: String) throws {
        let fixture = echo {
            $0.codecs.encoders = [.messagePack]
            $0.exchange.firstMessages = first
            $0.exchange.answers = answers
        }
        var dialCount = 0
        fixture.makePeer = { _, loop in
            dialCount += 1
            return FakePeer(on: loop)
        }
        let failure = #expect(throws: Failure.self) { try fixture.run() }
        #expect(failure?.status == .usage)
        #expect(failure?.message?.hasPrefix("\(option): msgpack: not JSON: ") == true)
        #expect(dialCount == 0)
    }

    @Test(
        "A text with placeholders that cannot be encoded ends the run",
        arguments: [(first: ["{{connection}}x"], answers: []), (first: ["1"], answers: ["(.*) => x$1"])])
    func badTemplate(first: [String], answers: [String]) throws {
        let fixture = echo {
            $0.codecs.encoders = [.messagePack]
            $0.codecs.decoders = [.messagePack]
            $0.exchange.firstMessages = first
            $0.exchange.answers = answers
            $0.transcript.verbosity = 1
        }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("a message was not sent: msgpack: not JSON: ") == true)
    }

    @Test("A message of a zlib stream that is incomplete at the end of the connection is reported")
    func incompleteStreamMessage() throws {
        let fixture = ConnectFixture { $0.codecs.decoders = [.zlibStream] }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(binary: [0x78, 0x9C, 0xAA, 0x56, 0xCA])
            peer.close(1000)
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil && outcome.output.isEmpty)
        #expect(outcome.notices.contains("a message was not decoded: zlib-stream: the data is incomplete\n"))
    }

    @Test("auto gives a reason for a message that it leaves as it is")
    func undetected() throws {
        let fixture = echo {
            $0.codecs.decoders = [.auto]
            $0.format.input = .hex
            $0.format.output = .json
            $0.ending.count = 1
        }
        fixture.input = "ffff\n"
        let outcome = try fixture.run()
        let reason = "auto: the data is neither compressed, nor JSON, MessagePack, or CBOR"
        #expect(outcome.notices.contains("a message was not decoded: \(reason)\n"))
        #expect(outcome.output.contains(#""decode_error":"\#(reason)""#))
    }

    @Test("An answer that cannot be encoded fails the run, even if its goal is reached in the same turn")
    func badAnswer() throws {
        let fixture = ConnectFixture {
            $0.codecs.encoders = [.cbor]
            $0.exchange.answers = ["^(a) => x$1"]
            $0.ending.count = 1
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            for text in ["a", "b"] { peer.send(text) }
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("a message was not sent: cbor: ") == true)
    }

    @Test("At the prompt, input that cannot be encoded is an error, and the prompt continues")
    func badLine() throws {
        let fixture = echo {
            $0.codecs.encoders = [.messagePack]
            $0.codecs.decoders = [.messagePack]
        }
        let outcome = try fixture.run(atPrompt: [.type("hello"), .type("[1]"), .read("→ [1]"), .leave])
        #expect(fixture.editor.shown.contains("the line was not sent: msgpack: not JSON"))
        #expect(outcome.peers[0].received.contains(.binary([0x91, 1])))
        #expect(outcome.output == "[1]\n")
    }

    @Test("A message that cannot be decoded is written as received, with a reason")
    func undecodable() throws {
        let fixture = echo {
            $0.codecs.decoders = [.messagePack]
            $0.format.input = .hex
            $0.ending.count = 3
        }
        fixture.input = "81\n81a16101\nc1\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output.split(separator: "\n", omittingEmptySubsequences: false)[1] == #"{"a":1}"#)
        #expect(outcome.notices.contains("a message was not decoded: msgpack: the data is incomplete"))
    }

    @Test("A decompression bomb is reported, and the connection continues")
    func bomb() throws {
        let bomb = "78daedc13101000000c2a0f54f6d0d0fa0" + String(repeating: "0", count: 192) + "80570386af0001"
        let fixture = echo {
            $0.codecs.decoders = [.gzip]
            $0.client.limits.maximumMessageBytes = 1000
            $0.format.input = .hex
            $0.format.output = .hex
            $0.ending.count = 2
        }
        fixture.input = bomb + "\n789cab564a54b25230ac050009e50229\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == bomb + "\n789cab564a54b25230ac050009e50229\n")
        #expect(outcome.notices.contains("gzip: the decoded message exceeds 1000 bytes"))
    }

    @Test("A program decodes messages, and later messages keep their order")
    func program() throws {
        let fixture = echo {
            $0.codecs.decoders = [.program("sed -u s/^/[\\\"/;s/$/\\\"]/"), .json]
            $0.ending.count = 3
            $0.format.input = .json
        }
        fixture.input = """
            {"type":"message","opcode":"binary","data":"one"}
            {"type":"message","data":"two"}
            {"type":"message","opcode":"binary","data":"three"}

            """
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "[\"b25l\"]\ntwo\n[\"dGhyZWU=\"]\n")
    }

    @Test("Messages that a program has not answered are written before the connection counts as ended")
    func slowProgram() throws {
        let fixture = ConnectFixture {
            $0.codecs.decoders = [.program("sed -u s/^/-/")]
            $0.format.output = .json
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(binary: [0])
            peer.close(1000)
            return peer
        }
        let outcome = try fixture.run()
        let types = outcome.output.split(separator: "\n").map { $0.dropFirst(9).prefix { $0 != "\"" } }
        #expect(types == ["open", "message", "close"])
        #expect(outcome.output.contains(#""data":"-AA==","decoded":"exec""#))
    }

    @Test("A program that ends is an error, and its messages are written as received")
    func deadProgram() throws {
        let fixture = ConnectFixture {
            $0.codecs.decoders = [.program("false")]
            $0.format.output = .json
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(binary: [0x61])
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .closed)
        #expect(outcome.failure?.message == "false exited with status 1 (--decode)")
        #expect(outcome.output.contains(#""data":"a","decode_error":"false exited with status 1""#))
    }

    @Test("A program that does not exist is an error before the connection")
    func missingProgram() throws {
        let fixture = ConnectFixture { $0.codecs.decoders = [.program("/nonexistent/program -x")] }
        #expect(throws: Failure.self) { try fixture.run() }
    }
}
