import TestSupport
import Testing

@testable import Conformance

/// Plays cases with scripted peers.
@Suite struct CasePlayerTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let request = Head(
        Array(
            ("GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8))
    private static let response =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private func item(_ lines: String) throws -> Case {
        try #require(try CaseFile(Array("section X Tests\ncase X.1 Test\n\(lines)".utf8)).cases.first)
    }

    /// Plays a case with a server that answers each write of ours with the next bytes, and then ends, or stays silent.
    private func result(
        _ lines: String, _ answers: [UInt8]..., head: String = response, echoes: Bool = true, ends: Bool = true
    ) throws -> CaseResult {
        let request = try #require(Self.request)
        let player = CasePlayer(
            try item(lines), with: CasePlayer.Peer(role: .server, echoes: echoes), request: request)
        var queue = [Array(head.utf8)] + answers
        while player.result == nil {
            while let action = player.next() { if case .pause = action { player.didPause() } }
            if queue.isEmpty {
                if ends { player.receiveEnd() } else { player.expire() }
            } else {
                var bytes = queue.removeFirst()
                bytes.withUnsafeMutableBytes { player.receive($0) }
            }
        }
        return try #require(player.result)
    }

    private let hello: [UInt8] = [0x81, 0x05] + Array("Hello".utf8)
    private let closed: [UInt8] = [0x88, 0x02, 0x03, 0xE8]

    @Test func anEchoPasses() throws {
        let result = try result("  send text \"Hello\"\n  pass echo", hello, closed)
        expectEqual(result.verdict, .passed)
        expectEqual(result.close, .ok)
        expectEqual(result.log.entries.map(\.kind), ["head", "head", "text", "text", "close", "close"])
    }

    @Test func anEchoMayBeginBeforeTheLastFrame() throws {
        let lines = """
              send text "He" more
              send ping "p"
              await pong
              send continuation "llo"
              pass pong echo
            """
        let pong: [UInt8] = [0x8A, 0x01] + Array("p".utf8)
        let result = try result(
            lines, [0x01, 0x02] + Array("He".utf8) + pong, [0x80, 0x03] + Array("llo".utf8), closed)
        expectEqual(result.verdict, .passed)
    }

    @Test func aPongWithoutAPingIsPermitted() throws {
        let result = try result("  send text \"Hello\"\n  pass echo", [0x8A, 0x00] + hello, closed)
        expectEqual(result.verdict, .passed)
    }

    @Test(
        "Other echoes fail",
        arguments: [
            [0x82, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [0x81, 0x04, 0x48, 0x65, 0x6C, 0x6C],
            [0x81, 0x06, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x21], [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x70], [0x8A, 0x00],
        ] as [[UInt8]])
    func otherEcho(_ echo: [UInt8]) throws {
        expectEqual(try result("  send text \"Hello\"\n  pass echo", echo).verdict, .failed)
    }

    @Test func aSecondEchoFails() throws {
        expectEqual(try result("  send text \"Hello\"\n  pass echo", hello + hello, closed).verdict, .failed)
        expectEqual(try result("  send text \"Hello\"\n  pass echo", hello, hello + closed).verdict, .failed)
    }

    @Test func aViolationFailsAnyCase() throws {
        let result = try result("  send text \"Hello\"\n  pass any, fails", [0x81, 0x01, 0xFF])
        expectEqual(result.verdict, .failed)
        expectEqual(result.reason, "a text message is not valid UTF-8")
        expectEqual(result.reference, "6455 §8.1")
    }

    @Test(
        "How a peer fails the connection is judged apart",
        arguments: [
            ([0x88, 0x02, 0x03, 0xEA], .passed, .ok), ([0x88, 0x02, 0x03, 0xEF], .passed, .wrongCode),
            ([0x88, 0x00], .passed, .ok),
            ([], .passed, .unclean),
        ] as [([UInt8], Verdict, CloseVerdict)])
    func failing(_ answer: [UInt8], _ verdict: Verdict, _ close: CloseVerdict) throws {
        let result = try result("  send text \"Hello\" rsv2\n  pass nothing, fails 1002", answer)
        expectEqual(result.verdict, verdict)
        expectEqual(result.close, close)
    }

    @Test func aPeerThatDoesNotFailFails() throws {
        let result = try result("  send text \"Hello\" rsv2\n  pass nothing, fails 1002", ends: false)
        expectEqual(result.verdict, .failed)
        expectTrue(result.metLimit)
        expectEqual(
            try self.result("  send text \"Hello\" rsv2\n  send ping\n  pass nothing, fails 1002", [0x8A, 0x00])
                .verdict,
            .failed)
    }

    @Test func exactCodesFailTheCase() throws {
        let lines = "  send close 5000\n  pass nothing, answers 1002 drop"
        expectEqual(try result(lines, [0x88, 0x02, 0x03, 0xEA]).verdict, .passed)
        expectEqual(try result(lines).verdict, .passed)
        expectEqual(try result(lines, closed).verdict, .failed)
    }

    @Test func codesThatMustNotBeSentFail() throws {
        let lines = "  send close 1000\n  pass any, answers 1000"
        let result = try result(lines, [0x88, 0x02, 0x03, 0xED])
        expectEqual(result.reason, "a close frame has the code 1005, which must not be sent")
    }

    @Test func anEchoOf1005Fails() throws {
        let result = try result("  send close 1005\n  pass nothing, answers 1002 none", [0x88, 0x02, 0x03, 0xED])
        expectEqual(result.verdict, .failed)
    }

    @Test func aServerThatDoesNotEchoIsCheckedWithoutEchoes() throws {
        let lines = "  send text \"Hello\"\n  send text \"Hello\" rsv2\n  pass echo, fails 1002"
        expectEqual(try result(lines, [0x88, 0x02, 0x03, 0xEA], echoes: false).verdict, .passed)
        expectEqual(
            try result(lines, [0x81, 0x02, 0x61, 0x62], [0x88, 0x02, 0x03, 0xEA], echoes: false).verdict, .passed)
        expectEqual(try result(lines, [0x88, 0x02, 0x03, 0xEA]).verdict, .failed)
    }

    @Test func aLateFailureIsNonStrict() throws {
        let lines = """
              send text hex:ff more
              await fail
              send continuation "a"
              pass nothing, fails 1007
              nonstrict late nothing, fails 1007
            """
        expectEqual(try result(lines, [0x88, 0x02, 0x03, 0xEF]).verdict, .passed)
        let request = try #require(Self.request)
        let player = CasePlayer(
            try item(lines), with: CasePlayer.Peer(role: .server, echoes: true), request: request)
        for bytes in [Array(Self.response.utf8), [0x88, 0x02, 0x03, 0xEF]] {
            while player.next() != nil {}
            var bytes = bytes
            if bytes.count == 4 { player.expire() }
            while player.next() != nil {}
            bytes.withUnsafeMutableBytes { player.receive($0) }
        }
        player.receiveEnd()
        expectEqual(player.result?.verdict, .nonStrict)
    }

    @Test(
        "A handshake is checked",
        arguments: [
            (
                "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "s3pPLMBiTxaQ9kYGzzhZRbK+xOp=",
                "the response has a wrong Sec-WebSocket-Accept"
            ),
            ("Upgrade: websocket\r\n", "", "the response lacks Upgrade"),
            ("Connection: Upgrade", "Connection: close", "the response lacks 'Connection: Upgrade'"),
            (
                "\r\n\r\n", "\r\nSec-WebSocket-Protocol: x\r\n\r\n",
                "the response selects a subprotocol that was not offered"
            ),
            (
                "\r\n\r\n", "\r\nSec-WebSocket-Extensions: x\r\n\r\n",
                "the response has an extension that was not offered"
            ),
            ("HTTP/1.1 101", "HTTP/1.0 101", "status 101 is not HTTP/1.1"),
            ("HTTP/1.1 101", "HTTX", "the response is not a valid head of HTTP/1.1"),
        ])
    func handshake(_ text: String, _ replacement: String, _ reason: String) throws {
        let parts = Self.response.split(separator: text, maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts.joined(separator: replacement)
        let result = try result("  pass opens", head: head)
        expectEqual(result.verdict, .failed)
        expectEqual(result.reason, reason)
    }

    @Test func aRefusalIsComparedWithItsOutcome() throws {
        let lines = "  role server\n  header drop Upgrade\n  pass refuses 400 426 has=X:1\n  nonstrict refuses drop"
        expectEqual(try result(lines, head: "HTTP/1.1 400 No\r\nX: 1\r\n\r\n").verdict, .passed)
        expectEqual(try result(lines, head: "HTTP/1.1 400 No\r\nX: 2\r\n\r\n").verdict, .nonStrict)
        expectEqual(try result(lines, head: "HTTP/1.1 200 OK\r\nX: 1\r\n\r\n").verdict, .nonStrict)
        expectEqual(try result(lines, head: "").verdict, .nonStrict)
        expectEqual(try result(lines).verdict, .failed)
    }

    @Test(
        "An answer to permessage-deflate fits the offer",
        arguments: [
            ("permessage-deflate", nil), ("permessage-deflate; server_no_context_takeover", nil),
            ("permessage-deflate; server_max_window_bits=10", nil),
            (
                "permessage-deflate; client_max_window_bits=10",
                "the answer to permessage-deflate does not fit what was offered"
            ),
            ("permessage-deflate; x", "the answer to permessage-deflate is invalid: a parameter is unknown"),
            (
                "permessage-deflate; server_max_window_bits=7",
                "the answer to permessage-deflate is invalid: a number of window bits is not between 8 and 15"
            ),
            ("permessage-deflate, permessage-deflate", "the response accepts permessage-deflate twice"),
        ] as [(String, String?)])
    func answer(_ text: String, _ reason: String?) throws {
        let head = Self.response.dropLast() + "Sec-WebSocket-Extensions: \(text)\r\n\r\n"
        let result = try result("  offer \"permessage-deflate\"\n  pass any", closed, head: String(head))
        expectEqual(result.verdict == .failed ? result.reason : nil, reason)
    }

    @Test func aServerWithoutCompressionSkips() throws {
        let result = try result("  offer \"permessage-deflate\"\n  send text \"Hello\" deflate\n  pass echo")
        expectEqual(result.verdict, .skipped)
    }

    @Test func aClientsRequestIsChecked() throws {
        var request = try #require(Self.request)
        request.fields.removeAll { $0.name == "Sec-WebSocket-Version" }
        let player = CasePlayer(
            try item("  pass any"), with: CasePlayer.Peer(role: .client, echoes: true), respondingTo: request)
        expectEqual(player.result?.reason, "the request lacks 'Sec-WebSocket-Version: 13'")
    }

    @Test func nothingIsSentWithinAFrame() throws {
        let lines = "  send text \"Hel\" length=5\n  pass nothing, fails\n  info nothing"
        let result = try result(lines, ends: false)
        expectEqual(result.verdict, .informational)
        expectEqual(result.log.entries.map(\.kind), ["head", "head", "text"])
        expectEqual(try self.result(lines).verdict, .passed)
    }

    @Test func aCompressedMessageEndsWithAnEmptyBlock() throws {
        let head = Self.response.dropLast(1) + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
        for (payload, isRight) in [([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], true), ([], false)] as [([UInt8], Bool)]
        {
            let echo = [0xC1, UInt8(payload.count)] + payload
            let result = try result(
                "  offer \"permessage-deflate\"\n  pass any", echo + closed, head: String(head))
            expectEqual(result.reason, isRight ? "" : "a compressed message does not end with an empty block")
        }
    }

    @Test func aClientsKeysMustBeNew() throws {
        let request = try #require(Self.request)
        var peer = CasePlayer.Peer(role: .client, echoes: true)
        peer.lastKey = Self.key
        expectEqual(
            CasePlayer(try item("  fresh\n  pass any"), with: peer, respondingTo: request).result?.reason,
            "the request has the key of the one before")
        expectNil(CasePlayer(try item("  pass any"), with: peer, respondingTo: request).result)
        peer.lastKey = ""
        let player = CasePlayer(try item("  fresh\n  pass any"), with: peer, respondingTo: request)
        var pings: [UInt8] = [0x89, 0x80, 1, 2, 3, 4, 0x89, 0x80, 1, 2, 3, 4]
        pings.withUnsafeMutableBytes { player.receive($0) }
        expectEqual(player.result?.reason, "two frames have the same masking key")
    }

    @Test func writesComeInThePiecesOfTheCase() throws {
        let request = try #require(Self.request)
        let player = CasePlayer(
            try item("  send text \"abc\" zeromask by=4\n  send ping alone\n  send text \"d\"\n  pass any"),
            with: CasePlayer.Peer(role: .server, echoes: true), request: request)
        while player.next() != nil {}
        var bytes = Array(Self.response.utf8)
        bytes.withUnsafeMutableBytes { player.receive($0) }
        var sizes: [Int] = []
        while case .write(let bytes, _)? = player.next() { sizes.append(bytes.count) }
        // A text frame of 9 bytes, a ping of 6, and a text frame of 7 with the close frame of 8.
        expectEqual(sizes, [4, 4, 1, 6, 15])
    }
}
