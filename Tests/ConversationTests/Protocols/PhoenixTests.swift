import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct PhoenixTests {
    /// A session that has joined room:a with the ref 1.
    private static func joined() throws -> ProtocolDriver {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a")
        _ = driver.receive(reply(1, 1))
        return driver
    }

    private static func reply(
        _ joinRef: Int, _ ref: Int, _ status: String = "ok", _ response: String = "{}", topic: String = "room:a"
    ) -> String {
        #"["\#(joinRef)","\#(ref)","\#(topic)","phx_reply",{"status":"\#(status)","response":\#(response)}]"#
    }

    @Test("A join is confirmed, and messages carry its reference (Message Format)")
    func join() throws {
        let driver = try ProtocolDriver("phoenix")
        expectEqual(driver.open(), ["ready"])
        expectEqual(driver.type(#"join room:a {"user": 1}"#), [#">["1","1","room:a","phx_join",{"user":1}]"#])
        expectEqual(driver.receive(Self.reply(1, 1, "ok", #"{"a":1}"#)), [#"notice room:a joined {"a":1}"#])
        expectEqual(driver.type(#"room:a new_msg {"body":"hi"}"#), [#">["1","2","room:a","new_msg",{"body":"hi"}]"#])
        expectEqual(driver.type("room:a ping"), [#">["1","3","room:a","ping",{}]"#])
        expectEqual(driver.session.topics, ["room:a"])
    }

    @Test("A join is renewed, so its line must not be sent again; a join that wants a reply is not renewed")
    func renewal() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a")
        expectTrue(driver.session.renewsLastLine)
        _ = driver.type("room:a ping")
        expectFalse(driver.session.renewsLastLine)
        _ = driver.type("join room:b", wantsReply: true)
        expectFalse(driver.session.renewsLastLine)
    }

    @Test("Replies match the lines that want one")
    func replies() throws {
        let driver = try Self.joined()
        expectEqual(driver.type("room:a a 1", wantsReply: true), [#">["1","2","room:a","a",1]"#, "key 2"])
        expectEqual(driver.type("room:a b", wantsReply: true).last, "key 3")
        expectEqual(
            driver.receive(Self.reply(1, 3, "error", #"{"reason":"no"}"#)),
            [
                #"refused 3 room:a error {"reason":"no"}"#
            ])
        expectEqual(driver.receive(Self.reply(1, 2)), ["reply 2 room:a ok {}"])
        expectEqual(driver.type("join room:b", wantsReply: true).last, "key 4")
        expectEqual(driver.receive(Self.reply(4, 4, topic: "room:b")), ["reply 4 room:b ok {}"])
        expectEqual(driver.type("leave room:b", wantsReply: true), [#">["4","5","room:b","phx_leave",{}]"#, "key 5"])
        expectEqual(driver.receive(Self.reply(4, 5, topic: "room:b")), ["reply 5 room:b ok {}"])
    }

    @Test("A refused join is reported, and lines that waited for it fail")
    func refusedJoin() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a")
        expectEqual(driver.type("room:a a", wantsReply: true), ["waits 1", "key 2"])
        expectEqual(
            driver.receive(Self.reply(1, 1, "error", #"{"reason":"unauthorized"}"#)),
            [
                #"refusal room:a error {"reason":"unauthorized"}"#, "dropped 1",
                #"refused 2 room:a error {"reason":"unauthorized"}"#,
            ])
        expectEqual(driver.lastEvent?.isRefusal, true)
        #expect(driver.session.topics == [] && driver.session.unconfirmedCount == 0)
        let refusal = [#"error the server refused or ended "room:a""#]
        expectEqual(driver.type("room:a a"), refusal)
        _ = driver.type("join room:a", wantsReply: true)
        expectEqual(driver.session.unconfirmedCount, 1)
        expectEqual(driver.receive(Self.reply(3, 3, "error")), ["refused 3 room:a error {}"])
        expectEqual(driver.lastEvent?.isRefusal, true)
        expectEqual(driver.type("leave room:a"), refusal)
        #expect(driver.type("room:a a")[0].hasPrefix("error \"room:a\" is not joined"))
        expectEqual(driver.open(), ["ready"])
    }

    @Test("Lines wait for the confirmation of the join")
    func heldLines() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a")
        expectEqual(driver.type("room:a a"), ["waits 1"])
        expectEqual(driver.type("room:a b", wantsReply: true), ["waits 2", "key 3"])
        expectEqual(
            driver.receive(Self.reply(1, 1)),
            [
                "notice room:a joined {}", #">["1","2","room:a","a",{}]"#, "sent 1", #">["1","3","room:a","b",{}]"#,
                "sent 2",
            ])
    }

    @Test("Lines wait until the join is confirmed, and are dropped if it is refused")
    func unsentLines() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a")
        _ = driver.type("room:a a")
        _ = driver.type("room:a b", wantsReply: true)
        expectEqual(
            driver.receive(Self.reply(1, 1, "error")),
            [
                "refusal room:a error {}", "dropped 1 2", "refused 3 room:a error {}",
            ])
    }

    @Test("A leave does not overtake the lines that wait for the join, nor hide the reply to the join")
    func leaveAfterWaitingLines() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        expectEqual(driver.type("join room:a", wantsReply: true).last, "key 1")
        expectEqual(driver.type("room:a a", wantsReply: true), ["waits 1", "key 2"])
        expectEqual(driver.type("leave room:a", wantsReply: true), ["waits 2", "key 3"])
        #expect(driver.type("room:a b")[0].hasPrefix("error \"room:a\" is not joined"))
        expectEqual(
            driver.receive(Self.reply(1, 1)),
            [
                "reply 1 room:a ok {}", #">["1","2","room:a","a",{}]"#, "sent 1",
                #">["1","3","room:a","phx_leave",{}]"#, "sent 2",
            ])
        expectEqual(driver.session.topics, [])
        expectEqual(driver.receive(Self.reply(1, 2)), ["reply 2 room:a ok {}"])
        expectEqual(driver.receive(Self.reply(1, 3)), ["reply 3 room:a ok {}"])
    }

    @Test("A channel that is joined again after waiting lines is joined after them")
    func joinAfterWaitingLines() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        for line in ["join room:a", "room:a a", "leave room:a", "join room:a", "room:a b"] { _ = driver.type(line) }
        expectFalse(driver.session.renewsLastLine)
        expectEqual(
            driver.receive(Self.reply(1, 1)),
            [
                "notice room:a joined {}", #">["1","2","room:a","a",{}]"#, "sent 1",
                #">["1","3","room:a","phx_leave",{}]"#, "sent 2", #">["4","4","room:a","phx_join",{}]"#, "sent 3",
            ])
        expectEqual(driver.receive(Self.reply(1, 3)), ["notice room:a left {}"])
        expectEqual(
            driver.receive(Self.reply(4, 4)),
            [
                "notice room:a joined {}", #">["4","5","room:a","b",{}]"#, "sent 4",
            ])
    }

    @Test("A refused join fails the requests that wait for it at once, up to another join, which is then sent")
    func refusedJoinOfWaitingLines() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        for line in ["join room:a", "room:a a", "leave room:a", "join room:a"] {
            _ = driver.type(line, wantsReply: true)
        }
        expectEqual(
            driver.receive(Self.reply(1, 1, "error")),
            [
                "refused 1 room:a error {}", "dropped 1 2", "refused 2 room:a error {}",
                "refused 3 room:a error {}", #">["4","4","room:a","phx_join",{}]"#, "sent 3",
            ])
        expectEqual(driver.receive(Self.reply(4, 4)), ["reply 4 room:a ok {}"])
    }

    @Test("The reply to a join is delivered even if the channel is left at once")
    func leaveAtOnce() throws {
        let driver = try ProtocolDriver("phoenix")
        _ = driver.open()
        _ = driver.type("join room:a", wantsReply: true)
        expectEqual(driver.type("leave room:a", wantsReply: true), [#">["1","2","room:a","phx_leave",{}]"#, "key 2"])
        expectEqual(driver.receive(Self.reply(1, 1)), ["reply 1 room:a ok {}"])
    }

    @Test("Messages are events, unless they belong to an earlier join")
    func events() throws {
        let driver = try Self.joined()
        expectEqual(
            driver.receive(#"[null,null,"room:a","new_msg",{"body": "hi"}]"#),
            [
                #"event room:a new_msg {"body":"hi"}"#
            ])
        expectEqual(driver.receive(#"["1",null,"room:a","new_msg",{}]"#), ["event room:a new_msg {}"])
        expectEqual(driver.receive(#"["9",null,"room:a","new_msg",{}]"#), ["hidden room:a new_msg {}"])
        expectEqual(driver.receive(#"[null,null,"room:b","presence_diff",{}]"#), ["event room:b presence_diff {}"])
    }

    @Test("Leaving is confirmed, and the end of the channel is hidden")
    func leave() throws {
        let driver = try Self.joined()
        expectEqual(driver.type("leave room:a"), [#">["1","2","room:a","phx_leave",{}]"#])
        expectEqual(driver.receive(Self.reply(1, 2)), ["notice room:a left {}"])
        expectEqual(driver.receive(#"["1","1","room:a","phx_close",{}]"#), ["hidden room:a phx_close {}"])
        expectEqual(driver.session.topics, [])
    }

    @Test("The server's end of a channel fails its requests (phx_close)")
    func close() throws {
        let driver = try Self.joined()
        _ = driver.type("room:a a", wantsReply: true)
        expectEqual(
            driver.receive(#"["1","1","room:a","phx_close",{}]"#),
            [
                "notice room:a phx_close {}", "refused 2 room:a phx_close {}",
            ])
        expectEqual(driver.session.topics, [])
    }

    @Test("A crashed channel is joined again after growing delays (phx_error)")
    func crash() throws {
        let driver = try Self.joined()
        _ = driver.type("room:a a", wantsReply: true)
        let crash = #"["1","1","room:a","phx_error",{"reason":"channel_crash"}]"#
        expectEqual(
            driver.receive(crash),
            [
                #"notice room:a phx_error {"reason":"channel_crash"}"#,
                #"refused 2 room:a phx_error {"reason":"channel_crash"}"#,
            ])
        expectEqual(driver.secondsLeft, 1)
        expectEqual(driver.type("room:a b"), ["waits 1"])
        expectEqual(driver.wait(1), [#">["4","4","room:a","phx_join",{}]"#])
        expectEqual(driver.receive(#"["4","4","room:a","phx_error",{}]"#), ["notice room:a phx_error {}"])
        expectEqual(driver.secondsLeft, 2)
        expectEqual(driver.wait(2), [#">["5","5","room:a","phx_join",{}]"#])
        expectEqual(
            driver.receive(Self.reply(5, 5)), ["notice room:a joined {}", #">["5","3","room:a","b",{}]"#, "sent 1"])
        _ = driver.receive(#"["5","5","room:a","phx_error",{}]"#)
        expectEqual(driver.secondsLeft, 1)
    }

    @Test("A heartbeat is sent every 30 seconds, and its reply is hidden")
    func heartbeat() throws {
        let driver = try Self.joined()
        expectEqual(driver.secondsLeft, 30)
        expectEqual(driver.wait(29), [])
        expectEqual(driver.wait(1), [#">[null,"2","phoenix","heartbeat",{}]"#])
        expectEqual(
            driver.receive(#"[null,"2","phoenix","phx_reply",{"status":"ok","response":{}}]"#),
            [
                "hidden phoenix ok {}"
            ])
        expectEqual(driver.wait(30), [#">[null,"3","phoenix","heartbeat",{}]"#])
        expectEqual(driver.wait(30), ["disconnect the server did not answer the heartbeat for 30 s"])
        expectNil(driver.secondsLeft)
        expectEqual(driver.open().last, "ready")
        expectEqual(driver.secondsLeft, 30)
    }

    @Test("After a reconnect, channels are joined again, and lines are forgotten")
    func reconnect() throws {
        let driver = try Self.joined()
        _ = driver.type("room:a a", wantsReply: true)
        _ = driver.type("join room:b", wantsReply: true)
        _ = driver.type(#"join room:c {"x":1}"#)
        _ = driver.type("room:c held")
        expectEqual(
            driver.open(),
            [
                #">["6","6","room:a","phx_join",{}]"#, "renewed room:a", #">["7","7","room:c","phx_join",{"x":1}]"#,
                "renewed room:c", "ready",
            ])
        expectEqual(driver.receive(#"["1",null,"room:a","new_msg",{}]"#), ["hidden room:a new_msg {}"])
        expectEqual(driver.receive(Self.reply(7, 7, topic: "room:c")), ["notice room:c joined {}"])
        expectEqual(driver.receive(Self.reply(6, 6, "error")), ["refusal room:a error {}"])
    }

    @Test("Binary messages have a header of sizes (Phoenix.Socket.V2.JSONSerializer)")
    func binary() throws {
        let driver = try Self.joined()
        expectEqual(
            driver.type(#"room:a b {"$bytes":"AQI="}"#, wantsReply: true),
            [
                ">x0001010601" + "31" + "32" + "726f6f6d3a61" + "62" + "0102", "key 2",
            ])
        let topic = Array("room:a".utf8)
        expectEqual(
            driver.receive(binary: [0, 1, 6, 1] + Array("1".utf8) + topic + Array("e".utf8) + [9]),
            [
                "event room:a e x09"
            ])
        expectEqual(
            driver.receive(binary: [1, 1, 1, 6, 2] + Array("12".utf8) + topic + Array("ok".utf8) + [8]),
            [
                "reply 2 room:a ok x08"
            ])
        expectEqual(driver.receive(binary: [2, 6, 1] + topic + Array("e".utf8)), ["event room:a e x"])
        let long = String(repeating: "x", count: 256)
        #expect(driver.type("room:a \(long) {\"$bytes\":\"\"}")[0].contains("more than 255 bytes"))
    }

    @Test("A binary message that ends at any offset is truncated")
    func truncatedBinary() throws {
        let driver = try Self.joined()
        let message: [UInt8] = [1, 1, 1, 6, 2] + Array("12room:aok".utf8)
        for count in 1..<message.count {
            expectEqual(
                driver.receive(binary: Array(message[..<count])), ["unknown a binary message of Phoenix is truncated"])
        }
        expectEqual(driver.receive(binary: []), ["unknown not a binary message of Phoenix: its kind is not 0, 1, or 2"])
        expectEqual(
            driver.receive(binary: [3, 0]), ["unknown not a binary message of Phoenix: its kind is not 0, 1, or 2"])
        expectEqual(
            driver.receive(binary: [2, 1, 0, 0xFF]), ["unknown a field of a binary message of Phoenix is not UTF-8"])
    }

    @Test(
        "What is not a message is passed on with the reason",
        arguments: [
            ("", "not a message of Phoenix 2.0.0: an array of five elements"),
            (#"{"topic":"a"}"#, "not a message of Phoenix 2.0.0: an array of five elements"),
            ("[1,2,3,4]", "not a message of Phoenix 2.0.0: an array of five elements"),
            ("[1,2,3,4,5]", "a message of Phoenix without a topic and an event"),
            (#"[null,null,"a","phx_reply",{"status":"ok"}]"#, "a reply of Phoenix without a ref"),
            (#"[null,"1","a","phx_reply",[]]"#, "a reply of Phoenix without a status"),
        ])
    func malformed(text: String, reason: String) throws {
        try expectEqual(Self.joined().receive(text), ["unknown \(reason)"])
    }

    static let mistakesCases: [(String, String)] = [
        ("", "the topic is missing; write TOPIC EVENT [JSON]"), ("join", "write join TOPIC [JSON]"),
        ("join a {", "the payload is not JSON; write join TOPIC"), ("room:a", "the event is missing; write TOPIC"),
        ("room:a b hi", "the payload is not JSON; write TOPIC EVENT"), ("room:a b 1 2", "the payload is not JSON"),
        ("room:b x", "\"room:b\" is not joined; write join TOPIC first"), ("leave", "write leave TOPIC"),
        ("leave room:a b", "write leave TOPIC"), ("leave room:b", "is not joined"),
    ]

    @Test("An error names the expected form", arguments: Self.mistakesCases)
    func mistakes(line: String, words: String) throws {
        let result = try Self.joined().type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }
}
