import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct StompTests {
    /// A frame with its NUL.
    private static func frame(_ lines: String...) -> String { lines.joined(separator: "\n") + "\0" }

    private static let connected = frame("CONNECTED", "version:1.2", "heart-beat:0,0", "", "")

    private static func open(_ answer: String = connected, _ parameters: [String: String] = [:]) throws
        -> ProtocolDriver
    {
        let driver = try ProtocolDriver("stomp", parameters)
        _ = driver.open()
        _ = driver.receive(answer)
        return driver
    }

    @Test("CONNECT or STOMP Frame: the session logs in, and escapes nothing")
    func login() throws {
        let driver = try ProtocolDriver("stomp", ["login": "a", "passcode": "p:\\q", "host": "v", "heart-beat": "0,0"])
        let connect = Self.frame(
            "CONNECT", "accept-version:1.0,1.1,1.2", "host:v", "heart-beat:0,0", "login:a", "passcode:p:\\q", "", "")
        expectEqual(driver.open(), [">" + connect])
        expectEqual(driver.receive(Self.connected), ["hidden CONNECTED", "ready"])
        expectEqual(driver.lastEvent?.attributes["version"], "1.2")
    }

    @Test(
        "Parameters that a header cannot contain are errors",
        arguments: [
            ["login": "a\nb"], ["passcode": "\0"], ["host": "a\nb"], ["heart-beat": "x"], ["heart-beat": "1"],
            ["heart-beat": "1,99999999999"], ["heart-beat": "-1,0"],
        ])
    func invalidParameters(parameters: [String: String]) {
        #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("stomp", parameters) }
    }

    @Test("ERROR: a refused login fails with the server's words")
    func refusedLogin() throws {
        let driver = try ProtocolDriver("stomp")
        _ = driver.open()
        let error = Self.frame(
            "ERROR", "message:Bad CONNECT", "content-type:text/plain", "", "Access refused for 'a'\n")
        expectEqual(
            driver.receive(error), [#"failure the server refused the login: "Bad CONNECT: Access refused for 'a'""#])
    }

    @Test("Protocol Negotiation: an ERROR about the version is not blamed on the credentials")
    func versionError() throws {
        let driver = try ProtocolDriver("stomp")
        _ = driver.open()
        let error = Self.frame("ERROR", "version:2.0,2.1", "", "Supported protocol versions are 2.0 2.1")
        expectEqual(driver.receive(error), [#"failure the server speaks STOMP "2.0,2.1"; wsx speaks 1.0 to 1.2"#])
    }

    @Test("Protocol Negotiation: an unknown version fails")
    func unknownVersion() throws {
        let driver = try ProtocolDriver("stomp")
        _ = driver.open()
        expectEqual(
            driver.receive(Self.frame("CONNECTED", "version:2.0", "", "")),
            [
                #"failure the server speaks STOMP "2.0"; wsx speaks 1.0 to 1.2"#
            ])
    }

    static let typedCases: [(String, String)] = [
        ("SEND /queue/a hello", frame("SEND", "destination:/queue/a", "content-length:5", "", "hello")),
        ("/queue/a hello world", frame("SEND", "destination:/queue/a", "content-length:11", "", "hello world")),
        ("send /queue/a", frame("SEND", "destination:/queue/a", "", "")),
        (
            #"SEND content-type:application/json x:a:b\n /q {"a":1}"#,
            frame(
                "SEND", "destination:/q", "content-type:application/json", #"x:a\cb\\n"#, "content-length:7", "",
                #"{"a":1}"#)
        ),
        ("SEND destination:jms:q a:b", frame("SEND", "destination:jms\\cq", "content-length:3", "", "a:b")),
        ("SEND q é", frame("SEND", "destination:q", "content-length:2", "", "é")),
        ("ACK 7", frame("ACK", "id:7", "", "")),
        ("NACK transaction:t 7", frame("NACK", "id:7", "transaction:t", "", "")),
        ("BEGIN t", frame("BEGIN", "transaction:t", "", "")),
        ("COMMIT t", frame("COMMIT", "transaction:t", "", "")),
        ("ABORT t", frame("ABORT", "transaction:t", "", "")), ("DISCONNECT", frame("DISCONNECT", "", "")),
    ]

    @Test("Typed lines become frames", arguments: Self.typedCases)
    func typed(line: String, frame: String) throws {
        try expectEqual(Self.open().type(line), [">" + frame])
    }

    @Test(
        "Lines that are no command name the mistake",
        arguments: [
            ("hello", #"unknown command "hello"; write: SEND /queue/a hello"#),
            ("", #"unknown command ""; write: SEND /queue/a hello"#), ("SEND", "SEND needs an argument: SEND /queue/a"),
            ("SEND a:b", "SEND needs an argument: SEND /queue/a"), ("ACK", "ACK needs an argument: ACK 7"),
            ("SUBSCRIBE /a b", #"unexpected text after "/a"; headers come first: SUBSCRIBE NAME:VALUE …"#),
            ("UNSUBSCRIBE /a", #"no subscription has the destination "/a"; there is none"#),
        ])
    func mistakes(line: String, error: String) throws {
        try expectEqual(Self.open().type(line), ["error \(error)"])
    }

    @Test("SUBSCRIBE: messages, the end of a subscription, and its renewal after a reconnect")
    func subscriptions() throws {
        let driver = try Self.open()
        expectEqual(
            driver.type("SUBSCRIBE /topic/a"),
            [
                ">" + Self.frame("SUBSCRIBE", "id:0", "destination:/topic/a", "receipt:1", "", "")
            ])
        expectEqual(driver.receive(Self.frame("RECEIPT", "receipt-id:1", "", "")), ["notice /topic/a RECEIPT"])
        _ = driver.type("SUBSCRIBE ack:client-individual id:x /queue/b")
        expectEqual(driver.session.topics, ["/topic/a", "/queue/b"])
        let message = Self.frame("MESSAGE", "subscription:0", "message-id:7", "destination:/topic/a", "", #"{"x":1}"#)
        expectEqual(driver.receive(message), [#"event /topic/a {"x":1}"#])
        expectEqual(driver.lastEvent?.id, "7")
        expectEqual(driver.lastEvent?.attributes, ["subscription": "0", "message-id": "7"])
        expectEqual(driver.type("SUBSCRIBE id:x /c"), [#"error the subscription "x" exists; choose another id"#])

        _ = driver.open()
        expectEqual(
            driver.receive(Self.connected),
            [
                "hidden CONNECTED",
                ">" + Self.frame("SUBSCRIBE", "id:0", "destination:/topic/a", "receipt:3", "", ""), "renewed /topic/a",
                ">"
                    + Self.frame(
                        "SUBSCRIBE", "id:x", "destination:/queue/b", "ack:client-individual", "receipt:4", "", ""),
                "renewed /queue/b", "ready",
            ])
        expectEqual(driver.type("UNSUBSCRIBE /topic/a"), [">" + Self.frame("UNSUBSCRIBE", "id:0", "", "")])
        expectEqual(driver.session.topics, ["/queue/b"])
    }

    @Test("Header receipt: receipts are replies to lines that want one")
    func receipts() throws {
        let driver = try Self.open()
        expectEqual(
            driver.type("/q a", wantsReply: true),
            [
                ">" + Self.frame("SEND", "destination:/q", "receipt:1", "content-length:1", "", "a"), "key 1",
            ])
        expectEqual(driver.type("SUBSCRIBE /q", wantsReply: true).last, "key 2")
        expectEqual(
            driver.type("SEND receipt:mine /q"), [">" + Self.frame("SEND", "destination:/q", "receipt:mine", "", "")])
        expectEqual(driver.receive(Self.frame("RECEIPT", "receipt-id:mine", "", "")), ["notice RECEIPT"])
        expectEqual(driver.lastEvent?.id, "mine")
        expectEqual(driver.receive(Self.frame("RECEIPT", "receipt-id:2", "", "")), ["reply 2 /q RECEIPT"])
        expectEqual(driver.receive(Self.frame("RECEIPT", "receipt-id:1", "", "")), ["reply 1 RECEIPT"])
        expectEqual(driver.receive(Self.frame("RECEIPT", "receipt-id:1", "", "")), ["notice RECEIPT"])
    }

    @Test("ERROR: a refused subscription is forgotten, and the connection ends")
    func refusedSubscription() throws {
        let driver = try Self.open()
        _ = driver.type("SUBSCRIBE /secret")
        let reason = #"the server reported an error for "/secret": "denied: no access""#
        expectEqual(
            driver.receive(Self.frame("ERROR", "message:denied", "receipt-id:1", "", "no access")),
            ["refusal /secret ERROR denied: no access", "line refused \(reason)"])
        expectEqual(driver.session.topics, [])
        _ = driver.open()
        expectEqual(driver.receive(Self.connected), ["hidden CONNECTED", "ready"])
        expectEqual(driver.type("UNSUBSCRIBE /secret"), [#"error the server refused or ended "/secret""#])
        _ = driver.type("/q a", wantsReply: true)
        expectEqual(
            driver.receive(Self.frame("ERROR", "message:full", "receipt-id:2", "", "")),
            [
                "refused 2 ERROR full", #"line refused the server reported an error: "full""#,
            ])
    }

    @Test("ERROR without the refused frame: subscriptions that nothing confirmed are forgotten, as RabbitMQ needs it")
    func unnamedRefusal() throws {
        let error = Self.frame("ERROR", "message:Unknown destination", "", "")
        let ending = #"disconnect the server reported an error: "Unknown destination""#
        let refusal = #"line refused the server reported an error for "/bad": "Unknown destination""#
        let driver = try Self.open()
        _ = driver.type("SUBSCRIBE /a")
        _ = driver.receive(Self.frame("RECEIPT", "receipt-id:1", "", ""))
        _ = driver.type("SUBSCRIBE /b")
        _ = driver.receive(Self.frame("MESSAGE", "subscription:1", "destination:/b", "", ""))
        _ = driver.type("SUBSCRIBE /bad")
        expectEqual(driver.receive(error), ["refusal /bad ERROR Unknown destination", refusal])
        expectEqual(driver.session.topics, ["/a", "/b"])
        _ = driver.open()
        _ = driver.receive(Self.connected)
        expectEqual(driver.receive(error), ["refusal ERROR Unknown destination", ending])
        expectEqual(driver.session.topics, ["/a", "/b"])
        let other = try Self.open()
        _ = other.type("SUBSCRIBE /bad", wantsReply: true)
        expectEqual(other.receive(error), ["refused 1 /bad ERROR Unknown destination", refusal])
    }

    @Test("ERROR without an unconfirmed line is about the connection, and with one it may refuse the line")
    func errorAfterLine() throws {
        let error = Self.frame("ERROR", "message:no", "", "")
        try expectEqual(Self.open().receive(error).last, #"disconnect the server reported an error: "no""#)
        let driver = try Self.open()
        _ = driver.type("/q a")
        expectEqual(driver.receive(error).last, #"line refused the server reported an error: "no""#)
    }

    @Test("Heart-beating: each direction uses the larger interval")
    func heartBeats() throws {
        let driver = try Self.open(Self.frame("CONNECTED", "version:1.2", "heart-beat:20000,4000", "", ""))
        // 10 s less a tenth to the server, and twice 20 s from it.
        expectEqual(driver.secondsLeft.map { ($0 - 9).magnitude < 0.001 }, true)
        expectEqual(driver.wait(5), [])
        _ = driver.type("/q a")
        expectEqual(driver.secondsLeft.map { ($0 - 9).magnitude < 0.001 }, true)
        expectEqual(driver.wait(9.1), [">\n"])
        expectEqual(driver.wait(9.1), [">\n"])
        expectEqual(driver.receive("\n"), [])
        for _ in 0..<4 { expectEqual(driver.wait(9.1), [">\n"]) }
        expectEqual(driver.wait(9.1), ["disconnect the server sent nothing for 40 s, not even a heart-beat"])
        expectNil(driver.secondsLeft)
    }

    @Test("Heart-beating: a 0 or a missing header turns a direction off", arguments: ["heart-beat:0,0", "x:y"])
    func noHeartBeats(header: String) throws {
        try expectNil(Self.open(Self.frame("CONNECTED", "version:1.2", header, "", "")).secondsLeft)
        let one = try Self.open(Self.frame("CONNECTED", "version:1.2", "heart-beat:5000,0", "", ""))
        expectEqual(one.wait(19), [])
        expectEqual(one.wait(2).count, 1)
    }

    @Test("ACK: in STOMP 1.1 with the subscription, and in 1.0 without it")
    func olderAcknowledgements() throws {
        let message = Self.frame("MESSAGE", "subscription:0", "message-id:m1", "destination:/q", "", "a")
        let driver = try Self.open(Self.frame("CONNECTED", "version:1.1", "", ""))
        _ = driver.type("SUBSCRIBE ack:client /q")
        expectEqual(driver.receive(message), ["event /q a"])
        expectEqual(driver.type("ACK m1"), [">" + Self.frame("ACK", "message-id:m1", "subscription:0", "", "")])
        let old = try Self.open(Self.frame("CONNECTED", "", ""))
        expectEqual(old.type("ACK m1"), [">" + Self.frame("ACK", "message-id:m1", "", "")])
        expectEqual(old.type("SEND a:b\\c /q:x"), [">" + Self.frame("SEND", "destination:/q:x", "a:b\\c", "", "")])
    }

    @Test(
        "Value Encoding: escapes of each version",
        arguments: [
            ("1.2", #"a\nb\cc\\d\re"#, "a\nb:c\\d\re"), ("1.1", #"a\nb\cc\\d"#, "a\nb:c\\d"),
            ("1.0", #"a\nb:c"#, #"a\nb:c"#),
        ])
    func escapes(version: String, encoded: String, value: String) throws {
        let driver = try Self.open(Self.frame("CONNECTED", "version:\(version)", "", ""))
        _ = driver.receive(Self.frame("MESSAGE", "destination:/q", "x:\(encoded)", "", ""))
        expectEqual(driver.lastEvent?.attributes["x"], value)
    }

    static let malformedCases: [(String, String)] = [
        (frame("MESSAGE", #"a:\t"#, "", ""), "a STOMP header has an undefined escape"),
        (frame("MESSAGE", #"a:\"#, "", ""), "a STOMP header has an undefined escape"),
        (frame("MESSAGE", "a", "", ""), "a STOMP header has no colon"),
        (frame("MESSAGE", "content-length:x", "", ""), "the content-length of a STOMP frame is invalid"),
        (frame("MESSAGE", "content-length:-1", "", ""), "the content-length of a STOMP frame is invalid"),
        (
            frame("MESSAGE", "content-length:1", "", "ab"),
            "no NUL ends the body of a STOMP frame at its content-length"
        ),
        (frame("MESSAGE", "content-length:99999999999", "", ""), "a STOMP frame exceeds 16 MiB"),
        ("M" + String(repeating: "x", count: 70_000), "the head of a STOMP frame exceeds 64 KiB"),
        (frame("HELLO", "", ""), #"unexpected STOMP frame "HELLO""#),
        (connected, #"unexpected STOMP frame "CONNECTED""#),
        (frame("RECEIPT", "", ""), "a STOMP receipt without receipt-id"),
    ]

    @Test("Malformed frames are passed on with a reason", arguments: Self.malformedCases)
    func malformed(frame: String, reason: String) throws {
        let driver = try Self.open()
        expectEqual(driver.receive(frame), ["unknown \(reason)"])
        // The next message is a new beginning.
        expectEqual(driver.receive(Self.frame("MESSAGE", "destination:/q", "", "a")), ["event /q a"])
    }

    @Test("A frame that has begun is incomplete input; line ends between frames are not")
    func incompleteFrame() throws {
        let driver = try Self.open()
        expectNil(driver.session.incompleteInput)
        _ = driver.receive("\n\r\nMESSAGE\n")
        expectEqual(driver.session.incompleteInput, "a STOMP frame (8 bytes)")
        _ = driver.receive("content-length:2\n\na")
        expectEqual(driver.session.incompleteInput, "a STOMP frame (27 bytes)")
        _ = driver.receive("b\0\n")
        expectNil(driver.session.incompleteInput)
    }

    @Test("Frames may share messages and be split at every offset")
    func splitting() throws {
        let stream = Array(
            ("\n" + Self.frame("MESSAGE", "destination:/é", "content-length:3", "", "a\0b") + "\r\n\n"
                + "MESSAGE\r\ndestination:/b\r\n\r\nbody\0" + Self.frame("MESSAGE", "destination:/c", "", "") + "\n")
                .utf8)
        let events = ["event /é a\0b", "event /b body", "event /c"]
        for split in 0...stream.count {
            let driver = try Self.open()
            expectEqual(
                driver.receive(binary: Array(stream[..<split])) + driver.receive(binary: Array(stream[split...])),
                events)
        }
        let driver = try Self.open()
        expectEqual(stream.flatMap { driver.receive(binary: [$0]) }, events)
    }

    @Test("Repeated Header Entries: the first one counts")
    func repeatedHeaders() throws {
        try expectEqual(
            Self.open().receive(Self.frame("MESSAGE", "destination:/a", "destination:/b", "", "")), ["event /a"])
    }

    @Test("A body that is not UTF-8 stays binary")
    func binaryBody() throws {
        let driver = try Self.open()
        expectEqual(
            driver.receive(binary: Array("MESSAGE\ndestination:/a\n\n".utf8) + [0xFF, 0xFE, 0]), ["event /a xfffe"])
    }

    @Test("Too many frames in a message end the decoding")
    func manyFrames() throws {
        let result = try Self.open().receive(String(repeating: "A\n\n\0", count: StompDecoder.maximumFrameCount + 1))
        expectEqual(result.count, StompDecoder.maximumFrameCount + 1)
        expectEqual(result.last, "unknown a message has more than 65536 STOMP frames")
    }
}
