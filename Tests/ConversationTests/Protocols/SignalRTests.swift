import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct SignalRTests {
    private static let handshake = #">{"protocol":"json","version":1}␞"#

    /// A session after the handshake.
    private static func ready() throws -> ProtocolDriver {
        let driver = try ProtocolDriver("signalr")
        _ = driver.open()
        _ = driver.receive("{}\u{1E}")
        return driver
    }

    @Test("The handshake selects the JSON protocol (Overview)")
    func handshake() throws {
        let driver = try ProtocolDriver("signalr")
        expectEqual(driver.open(), [Self.handshake])
        expectEqual(driver.receive("{}\u{1E}"), ["hidden handshake", "ready"])
    }

    @Test("A refused handshake fails with the server's words")
    func refusedHandshake() throws {
        let driver = try ProtocolDriver("signalr")
        _ = driver.open()
        expectEqual(driver.receive("{\"error\":\"no\"}\u{1E}"), [#"failure the server refused the handshake: "no""#])
        expectEqual(driver.receive("hello"), ["unknown the handshake does not end with the record separator 0x1E"])
    }

    @Test("The response to the handshake and records may arrive together")
    func recordsWithHandshake() throws {
        let driver = try ProtocolDriver("signalr")
        _ = driver.open()
        expectEqual(
            driver.receive("{}\u{1E}{\"type\":6}\u{1E}{\"type\":1,\"target\":\"a\",\"arguments\":[]}\u{1E}"),
            [
                "hidden handshake", "ready", "hidden ping", "event a",
            ])
    }

    @Test(
        "Typed lines are invocations, without an id if no reply is wanted (Non-Blocking Invocations)",
        arguments: [
            ("Send", "[]"), ("Send alice hi", #"["alice","hi"]"#), (#"Send {"x": 1} 2"#, #"[{"x":1},2]"#),
            ("Send [1, 2]", "[1,2]"), ("Send [[1, 2]]", "[[1,2]]"), ("Send a=b", #"["a=b"]"#),
        ])
    func typed(line: String, arguments: String) throws {
        let driver = try Self.ready()
        expectEqual(driver.type(line), [#">{"type":1,"target":"Send","arguments":\#(arguments)}␞"#])
        expectEqual(
            driver.type(line, wantsReply: true),
            [
                #">{"type":1,"invocationId":"1","target":"Send","arguments":\#(arguments)}␞"#, "key 1",
            ])
    }

    @Test("Completions match their invocations (Completion and results)")
    func completions() throws {
        let driver = try Self.ready()
        _ = driver.type("Add 1 2", wantsReply: true)
        _ = driver.type("Fail", wantsReply: true)
        _ = driver.type("Void", wantsReply: true)
        expectEqual(
            driver.receive(
                "{\"type\":3,\"invocationId\":\"2\",\"error\":\"It didn't work!\"}\u{1E}"
                    + "{\"type\":3,\"invocationId\":\"1\",\"result\":3.0}\u{1E}{\"type\":3,\"invocationId\":\"3\"}\u{1E}"
            ), [#"refused 2 Fail "It didn't work!""#, "reply 1 Add 3.0", "reply 3 Void"])
        expectEqual(driver.receive("{\"type\":3,\"invocationId\":\"x\"}\u{1E}"), ["reply x"])
    }

    @Test("Items of a stream are events, and its completion is a notice or the awaited reply (Streaming)")
    func streams() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.type("stream Counter 10"),
            [
                #">{"type":4,"invocationId":"1","target":"Counter","arguments":[10]}␞"#
            ])
        expectEqual(driver.receive("{\"type\":2,\"invocationId\":\"1\",\"item\":42}\u{1E}"), ["event Counter 42"])
        expectEqual(driver.type("cancel 1"), [#">{"type":5,"invocationId":"1"}␞"#])
        expectEqual(driver.receive("{\"type\":3,\"invocationId\":\"1\"}\u{1E}"), ["notice complete"])
        // The server may have completed it just before.
        expectEqual(driver.type("cancel 1"), [])
        expectEqual(driver.type("stream Counter", wantsReply: true).last, "key 2")
        expectEqual(
            driver.receive("{\"type\":3,\"invocationId\":\"2\",\"error\":\"e\"}\u{1E}"), [#"refused 2 complete "e""#])
        _ = driver.type("stream Counter")
        expectEqual(
            driver.receive("{\"type\":3,\"invocationId\":\"3\",\"error\":\"e\"}\u{1E}"), [#"refusal complete "e""#])
    }

    @Test("A method with the name of a command needs quotes")
    func quotedMethod() throws {
        try expectEqual(Self.ready().type(#""stream" 1"#), [#">{"type":1,"target":"stream","arguments":[1]}␞"#])
    }

    @Test("Invocations by the server are events, and get an error if they want a result")
    func serverInvocations() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.receive("{\"type\":1,\"target\":\"chat\",\"arguments\":[ {\"x\": 1} ],\"headers\":{}}\u{1E}"),
            [
                #"event chat {"x":1}"#
            ])
        expectEqual(
            driver.receive("{\"type\":1,\"target\":\"ask\",\"invocationId\":\"7\",\"arguments\":[1,2]}\u{1E}"),
            [
                #">{"type":3,"invocationId":"7","error":"wsx does not return results"}␞"#, "event ask [1,2]",
            ])
    }

    @Test("A record without its separator is incomplete input")
    func incompleteRecord() throws {
        let driver = try ProtocolDriver("signalr")
        _ = driver.open()
        _ = driver.receive("{}\u{1E}{\"type\"")
        expectEqual(driver.session.incompleteInput, "a record of SignalR (7 bytes)")
        _ = driver.receive(":6}\u{1E}")
        expectNil(driver.session.incompleteInput)
    }

    @Test("Records may be split anywhere")
    func splitRecords() throws {
        let text = "{\"type\":6}\u{1E}{\"type\":1,\"target\":\"a\",\"arguments\":[1]}\u{1E}"
        let whole = try Self.ready().receive(text)
        expectEqual(whole, ["hidden ping", "event a 1"])
        let bytes = Array(text.utf8)
        for offset in 0...bytes.count {
            let driver = try Self.ready()
            let first = driver.receive(String(decoding: bytes[..<offset], as: UTF8.self))
            let second = driver.receive(String(decoding: bytes[offset...], as: UTF8.self))
            expectEqual(first + second, whole, "split at \(offset)")
        }
    }

    @Test("Too large a record ends the connection")
    func recordLimit() throws {
        let driver = try Self.ready()
        let half = String(repeating: "x", count: SignalRSession.maximumRecordBytes / 2)
        expectEqual(driver.receive(half, half), [])
        expectEqual(driver.receive("x"), ["disconnect a record of the server has more than 16 MiB"])
    }

    @Test("A ping is sent after 15 seconds without a message (Ping)")
    func pings() throws {
        let driver = try Self.ready()
        expectEqual(driver.secondsLeft, 15)
        expectEqual(driver.wait(10), [])
        _ = driver.type("Send")
        expectEqual(driver.secondsLeft, 15)
        expectEqual(driver.wait(15), [#">{"type":6}␞"#])
        expectEqual(driver.secondsLeft, 5)
        expectEqual(driver.receive("{\"type\":6}\u{1E}"), ["hidden ping"])
        expectEqual(driver.secondsLeft, 15)
    }

    @Test("A server that is silent for 30 seconds is considered dead")
    func silence() throws {
        let driver = try Self.ready()
        _ = driver.wait(15)
        expectEqual(driver.wait(15), ["disconnect the server sent nothing for 30 s, not even a ping"])
        expectNil(driver.secondsLeft)
    }

    @Test("The server's close message ends the run, unless it allows a reconnect (Close)")
    func close() throws {
        let driver = try Self.ready()
        expectEqual(driver.receive("{\"type\":7}\u{1E}"), ["notice close"])
        expectEqual(
            driver.receive("{\"type\":7,\"allowReconnect\":true}\u{1E}"),
            [
                "notice close", "close 1001 SignalR close message",
            ])
        expectEqual(
            driver.receive("{\"type\":7,\"error\":\"e\"}\u{1E}"), [#"failure the server closed the connection: "e""#])
        expectEqual(
            driver.receive("{\"type\":7,\"error\":\"e\",\"allowReconnect\":true}\u{1E}"),
            [
                #"disconnect the server closed the connection: "e""#
            ])
    }

    @Test("After a reconnect, streams begin again, and requests are forgotten")
    func reconnect() throws {
        let driver = try Self.ready()
        _ = driver.type("stream A")
        _ = driver.type("stream B", wantsReply: true)
        _ = driver.type("C", wantsReply: true)
        _ = driver.receive("{\"type\"")
        expectEqual(driver.open(), [Self.handshake])
        expectEqual(
            driver.receive("{}\u{1E}"),
            [
                "hidden handshake", #">{"type":4,"invocationId":"4","target":"A","arguments":[]}␞"#, "renewed A",
                "ready",
            ])
    }

    @Test("The negotiate request is optional")
    func negotiation() throws {
        let found = try #require(ApplicationProtocol(named: "signalr"))
        expectEqual(found.negotiation(ProtocolParameters())?.pathSuffix, "/negotiate")
        expectNil(found.negotiation(ProtocolParameters(["negotiate": "false"])))
        #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("signalr", ["negotiate": "no"]) }
    }

    @Test(
        "The response to the negotiate request says how to connect (Transport Protocols)",
        arguments: [
            (#"{"connectionToken":"t","connectionId":"i","negotiateVersion":1}"#, "connect(id: \"t\")"),
            (#"{"connectionId":"i","availableTransports":[{"transport":"WebSockets"}]}"#, "connect(id: \"i\")"),
            (
                #"{"url":"https://h/","accessToken":"a"}"#,
                "redirect(url: \"https://h/\", accessToken: Optional(\"a\"))"
            ),
        ])
    func negotiationResponses(body: String, result: String) throws {
        expectEqual("\(try SignalRNegotiation(response: Array(body.utf8).span.bytes))", result)
    }

    @Test(
        "A response that does not allow a connection is an error",
        arguments: [
            ("", SignalRNegotiationError.malformed), ("{}", .malformed), (#"{"error":"no"}"#, .refused("no")),
            (#"{"connectionId":"i","availableTransports":[{"transport":"LongPolling"}]}"#, .noWebSockets),
            (#"{"ProtocolVersion":"1.5","ConnectionId":"i"}"#, .olderSignalR),
        ])
    func negotiationErrors(body: String, error: SignalRNegotiationError) {
        #expect(throws: error) { try SignalRNegotiation(response: Array(body.utf8).span.bytes) }
    }

    static let malformedCases: [(String, String)] = [
        ("\u{1E}", "a record of SignalR is not a JSON object"),
        ("[]\u{1E}", "a record of SignalR is not a JSON object"),
        ("{\"type\":4}\u{1E}", "a record of SignalR with an unknown type"),
        ("{\"type\":\"1\"}\u{1E}", "a record of SignalR with an unknown type"),
        ("{\"type\":1,\"target\":\"a\"}\u{1E}", "an invocation without a target and arguments"),
        ("{\"type\":1,\"arguments\":[]}\u{1E}", "an invocation without a target and arguments"),
        ("{\"type\":2}\u{1E}", "an item of a stream without an invocationId"),
        ("{\"type\":3}\u{1E}", "a completion without an invocationId"),
    ]

    @Test("What is not a record is passed on with the reason", arguments: Self.malformedCases)
    func malformed(text: String, reason: String) throws {
        let driver = try Self.ready()
        expectEqual(driver.receive(text), ["unknown \(reason)"])
        expectEqual(driver.receive(binary: [1]), ["unknown binary data in the JSON hub protocol"])
    }

    static let mistakesCases: [(String, String)] = [
        ("", "the method is missing; write METHOD [ARGUMENT...]"), ("stream", "write stream METHOD"),
        (#"{"x":1}"#, "the method is missing before the arguments"), ("[1]", "the method is missing before"),
        ("\"a", "the quote is not closed"), ("Send {", "in the arguments, the bracket at byte 1"),
        ("cancel", "write cancel ID"), ("cancel 1", "write cancel ID"), ("cancel x", "write cancel ID"),
    ]

    @Test("An error names the expected form", arguments: Self.mistakesCases)
    func mistakes(line: String, words: String) throws {
        let result = try Self.ready().type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }
}
