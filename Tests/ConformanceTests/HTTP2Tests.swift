import TestSupport
import Testing

@testable import Conformance

/// Plays cases over HTTP/2 with scripted servers.
@Suite struct HTTP2Tests {
    private let settings = HTTP2Frame(type: HTTP2Frame.settings, payload: [0, 8, 0, 0, 0, 1])
    private let hello = HTTP2Frame(type: HTTP2Frame.data, stream: 1, payload: [0x81, 0x05] + Array("Hello".utf8))
    private let closed = HTTP2Frame(
        type: HTTP2Frame.data, flags: HTTP2Frame.first, stream: 1, payload: [0x88, 0x02, 0x03, 0xE8])

    private func response(_ fields: (String, String)...) -> HTTP2Frame {
        HTTP2Frame(
            type: HTTP2Frame.headers, flags: HTTP2Frame.endHeaders, stream: 1,
            payload: HeaderBlock.encode(fields.map { Head.Field(name: $0.0, value: Array($0.1.utf8)) }))
    }

    /// Plays a case with a server that sends a frame whenever the player waits, and then ends the connection.
    private func result(_ lines: String, _ frames: HTTP2Frame...) throws -> (result: CaseResult, sent: [UInt8]) {
        let request = Head(Array("GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nX-A: 1\r\n\r\n".utf8))
        let item = try #require(try CaseFile(Array("section T Tests\ncase T.1 Test\n\(lines)".utf8)).cases.first)
        let player = CasePlayer(
            item, with: CasePlayer.Peer(role: .server, echoes: true), request: try #require(request),
            overHTTP2: "http")
        var sent: [UInt8] = []
        var queue = frames.map(\.bytes)
        while player.result == nil {
            while let action = player.next() { if case .write(let bytes, _) = action { sent += bytes } }
            if queue.isEmpty { return (player.result ?? .failed("nothing more came"), sent) }
            var bytes = queue.removeFirst()
            bytes.withUnsafeMutableBytes { player.receive($0) }
        }
        return (try #require(player.result), sent)
    }

    private let echo = "  send text \"Hello\" zeromask\n  pass echo\n  info any, resets PROTOCOL_ERROR"

    @Test func anEchoPassesOverHTTP2() throws {
        let (result, sent) = try result(
            "  send text \"Hello\"\n  pass echo", settings, response((":status", "200")), hello, closed)
        expectEqual([result.verdict.rawValue, result.close?.rawValue], ["passed", "ok"])
        let block = HeaderBlock.encode(
            [
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":authority", "h"),
                (":path", "/chat"), ("x-a", "1"),
            ].map { Head.Field(name: $0.0, value: Array($0.1.utf8)) })
        // The preface, our settings, the acknowledgement of the server's, and the request.
        expectEqual(Array(sent.prefix(24 + 15 + 9 + 9 + block.count).suffix(block.count)), block)
    }

    @Test func theWindowsAreObeyed() throws {
        let small = HTTP2Frame(type: HTTP2Frame.settings, payload: [0, 8, 0, 0, 0, 1, 0, 4, 0, 0, 0, 3])
        let update = HTTP2Frame(type: HTTP2Frame.windowUpdate, stream: 1, payload: [0, 0, 0xFF, 0xFF])
        let (held, sent) = try result(echo, small, response((":status", "200")))
        expectEqual(held.reason, "nothing more came")
        expectEqual(Array(sent.suffix(12)), HTTP2Frame(type: 0, stream: 1, payload: [0x81, 0x85, 0]).bytes)
        expectEqual(
            try result(echo, small, response((":status", "200")), update, hello, closed).result.verdict, .passed)
        let strict = "  settings hex:000400000003\n" + echo
        expectEqual(
            try result(strict, settings, response((":status", "200")), hello).result.reason,
            "a DATA frame is larger than the window")
    }

    @Test func errorsOfServersAreFound() throws {
        let ok = response((":status", "200"))
        let reasons = [
            try result(echo, HTTP2Frame(type: HTTP2Frame.settings), ok),
            try result(echo, settings, response((":status", "200"), ("upgrade", "websocket"))),
            try result(echo, settings, response((":status", "200"), ("X-A", "1"))),
            try result(echo, settings, response(("x-a", "1"))),
            try result(echo, settings, hello),
            try result(echo, settings, ok, HTTP2Frame(type: HTTP2Frame.data, flags: 8, stream: 1, payload: [1])),
            try result(
                echo, settings, ok, HTTP2Frame(type: HTTP2Frame.windowUpdate, stream: 1, payload: [0, 0, 0, 0])),
            try result(echo, settings, HTTP2Frame(type: HTTP2Frame.headers, flags: 4, stream: 1, payload: [0xFF])),
        ].map(\.result.reason)
        expectEqual(
            reasons,
            [
                "a response comes before the request", "the field upgrade is for HTTP/1.1 only",
                "the name of a field is not in lower case", "the response has no status",
                "data come before the response", "a frame has more padding than payload",
                "a WINDOW_UPDATE frame adds nothing", "a header block cannot be decoded",
            ])
    }

    @Test func anErrorOfHTTP2IsAnOutcome() throws {
        for (type, payload) in [(HTTP2Frame.reset, [0, 0, 0, 1]), (HTTP2Frame.goaway, [0, 0, 0, 1, 0, 0, 0, 1])] {
            let error = HTTP2Frame(
                type: type, stream: type == HTTP2Frame.reset ? 1 : 0, payload: payload.map { UInt8($0) })
            expectEqual(
                try result(echo, settings, response((":status", "200")), error).result.verdict, .informational)
        }
    }

    @Test func pingsAndSettingsHaveToBeAcknowledged() throws {
        let lines = "  http2 ping \"12345678\"\n  await ack\n  drop\n  pass nothing, ends"
        let ok = response((":status", "200"))
        let settingsAck = HTTP2Frame(type: HTTP2Frame.settings, flags: 1)
        let pingAck = HTTP2Frame(type: HTTP2Frame.ping, flags: 1, payload: Array("12345678".utf8))
        expectEqual(try result(lines, settings, ok, settingsAck).result.reason, "nothing more came")
        expectEqual(try result(lines, settings, ok, settingsAck, pingAck).result.verdict, .passed)
    }
}
