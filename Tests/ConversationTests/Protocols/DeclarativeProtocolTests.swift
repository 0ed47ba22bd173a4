import Foundation
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct DeclarativeProtocolTests {
    private static func read(_ text: String) throws(DeclarativeProtocolError) -> DeclarativeProtocol {
        try DeclarativeProtocol(
            Array(text.utf8), environment: { $0 == "HOME" ? "/h" : nil },
            parseDuration: { text in
                guard text.hasSuffix("s"), let seconds = Int(text.dropLast()) else { return nil }
                return .seconds(seconds)
            })
    }

    private static func driver(_ text: String, _ parameters: [String: String] = [:]) throws -> ProtocolDriver {
        ProtocolDriver(try read(text).applicationProtocol.session(ProtocolParameters(parameters)))
    }

    /// A session of a protocol of `docs/protocols/`.
    private static func example(_ name: String, _ parameters: [String: String] = [:]) throws -> ProtocolDriver {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/protocols/")
        return try driver(String(contentsOf: root.appending(path: "\(name).json"), encoding: .utf8), parameters)
    }

    // MARK: Sessions

    @Test("A protocol with only a name passes messages on")
    func minimal() throws {
        let driver = try Self.driver(#"{"name":"x"}"#)
        expectEqual(driver.open(), ["ready"])
        expectEqual(driver.type("a b"), [">a b"])
        expectEqual(driver.receive("hi", #"{"a": 1}"#), ["event hi", #"event {"a":1}"#])
        expectEqual(driver.receive(binary: [0xFF]), ["event  xff"])
        expectNil(driver.secondsLeft)
    }

    @Test("The opening consists of first messages, answers, and the message that is ready")
    func opening() throws {
        let driver = try Self.driver(
            #"{"name":"x","parameters":["t"],"first":["a {{env:HOME}}"],"answers":["^q(.) => $1 {{json:t}}"],"ready":"^ok"}"#,
            ["t": "\"s\""])
        expectEqual(driver.open(), [">a /h"])
        expectEqual(
            driver.receive("q1", "x", "ok 2"), [#">1 "\"s\"""#, "hidden q1", "hidden x", "hidden ok 2", "ready"])
        expectEqual(driver.receive("q3", "ok"), [#">3 "\"s\"""#, "event q3", "event ok"])
    }

    @Test("A missing parameter is an error")
    func missingParameter() throws {
        let error = #expect(throws: ProtocolParameterError.self) {
            try Self.driver(#"{"name":"x","parameters":["t"]}"#)
        }
        expectEqual(error?.description, "the parameter t is missing; add --param t=VALUE")
    }

    @Test("Texts that insert an optional parameter without a value are left out")
    func optionalParameter() throws {
        let definition =
            #"{"name":"x","parameters":["t?"],"first":["a {{t}}","b"],"answers":["^q => {{t | hex}}","^q => none"]}"#
        for (parameters, sent) in [(["t": "1"], [">a 1", ">b", "ready"]), ([:], [">b", "ready"])] {
            let driver = try Self.driver(definition, parameters)
            expectEqual(driver.open(), sent)
            expectEqual(driver.receive("q").first, parameters.isEmpty ? ">none" : ">31")
        }
    }

    @Test("A login that cannot be answered is a failure")
    func unanswerable() throws {
        let driver = try Self.driver(#"{"name":"x","answers":["^. => {{last:.a}}"],"ready":"^ok"}"#)
        _ = driver.open()
        expectEqual(
            driver.receive("{}").first,
            #"failure the message cannot be answered: the received message has no value at ".a""#)
    }

    @Test("The message that ends the opening is answered")
    func answeredReady() throws {
        let driver = try Self.driver(#"{"name":"x","answers":["^ok => after"],"ready":"^ok"}"#)
        _ = driver.open()
        expectEqual(driver.receive("ok"), [">after", "hidden ok", "ready"])
    }

    @Test("OBS logs in with the example of its documentation, and Pusher signs with that of its own")
    func computedLogins() throws {
        let hello =
            #"{"op":0,"d":{"rpcVersion":1,"authentication":{"challenge":"+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=","#
            + #""salt":"lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI="}}}"#
        let obs = try Self.example("obs", ["password": "supersecretpassword"])
        _ = obs.open()
        expectEqual(
            obs.receive(hello).first,
            #">{"op":1,"d":{"rpcVersion":1,"authentication":"1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4="}}"#)
        let pusher = try Self.example(
            "pusher",
            ["channel": "private-foobar", "key": "278d425bdf160c739803", "secret": "7ad3773142a6692b25b8"])
        _ = pusher.open()
        expectEqual(
            pusher.receive(#"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1234.1234\"}"}"#).first,
            #">{"event":"pusher:subscribe","data":{"channel":"private-foobar","auth":"278d425bdf160c739803:"#
                + #"58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4"}}"#)
    }

    @Test("A message that refuses the connection fails with its words")
    func failure() throws {
        let driver = try Self.driver(#"{"name":"x","failure":"denied"}"#)
        expectEqual(driver.receive("denied: t"), [#"failure the server refused the connection: "denied: t""#])
    }

    @Test("Requests and replies have an id in common")
    func ids() throws {
        let driver = try Self.driver(
            #"{"name":"x","prefix":"{\"id\":{{seq}},","suffix":"}","id":"/id","error":"\"ok\":false","unwrap":"/r"}"#)
        _ = driver.open()
        expectEqual(driver.type(#""a":1"#, wantsReply: true), [#">{"id":1,"a":1}"#, "key 1"])
        expectEqual(driver.receive(#"{"id":1,"ok":false,"r":[ 2 ]}"#), ["refused 1 [2]"])
        expectEqual(driver.receive(#"{"id":null,"r":"text"}"#), ["event text"])
    }

    @Test("Errors have their id at the last location, and other replies at the first one with a value")
    func severalLocations() throws {
        let driver = try Self.driver(#"{"name":"x","id":"/1=/1,/2","reply":"^\\[(8|33|50),","error":"^\\[8,"}"#)
        _ = driver.open()
        for id in ["48", "7", "\"a\""] {
            expectEqual(driver.type("[32,\(id),{}]", wantsReply: true), [">[32,\(id),{}]", "key \(id)"])
        }
        expectEqual(driver.receive("[8,48,7,{}]"), ["refused 7 [8,48,7,{}]"])
        expectEqual(driver.receive("[33,48,7]"), ["reply 48 [33,48,7]"])
        expectEqual(driver.receive("[36,48,551]"), ["event [36,48,551]"])
        expectEqual(driver.receive(#"[50,"a",{}]"#), [#"reply "a" [50,"a",{}]"#])
        expectEqual(driver.receive("[33,null,551]"), ["reply 551 [33,null,551]"])
        expectEqual(driver.receive("[8,48]"), ["refused 48 [8,48]"])
    }

    @Test("An id may be an object, and numbers are compared by value and shown as received")
    func idValues() throws {
        let driver = try Self.driver(#"{"name":"x","id":"/id"}"#)
        _ = driver.open()
        expectEqual(driver.type(#"{"id":{"a": 1}}"#, wantsReply: true).last, #"key {"a":1}"#)
        expectEqual(driver.receive(#"{"id":{"a":1}}"#), [#"reply {"a":1} {"id":{"a":1}}"#])
        expectEqual(driver.type(#"{"id":1000}"#, wantsReply: true).last, "key 1000")
        expectEqual(driver.receive(#"{"id":1e3}"#), [#"reply 1000 {"id":1e3}"#])
    }

    @Test("The payload is at the first location that exists")
    func locations() throws {
        let driver = try Self.driver(
            #"{"name":"x","id":"/1","reply":"^\\[3,","event":"/2","unwrap":["/3","/2"]}"#)
        _ = driver.open()
        expectEqual(driver.receive(#"[2,"1","Reset",{"type":"Soft"}]"#), [#"event Reset {"type":"Soft"}"#])
        expectEqual(
            driver.receive(#"[3,"1",{"status":"Accepted"}]"#).first?.hasSuffix(#" {"status":"Accepted"}"#), true)
    }

    @Test("Patterns for replies without the location of an id are an error", arguments: ["reply", "error"])
    func patternsWithoutID(member: String) {
        let error = #expect(throws: DeclarativeProtocolError.self) {
            try Self.read(#"{"name":"x","\#(member)":"a"}"#)
        }
        expectEqual(error?.reason.hasPrefix("'\(member)' has no effect without 'id'"), true)
        expectEqual(error?.column, member.count + 16)
    }

    @Test("A heartbeat is sent at a fixed interval, and must be answered")
    func fixedHeartbeat() throws {
        let driver = try Self.driver(#"{"name":"x","heartbeat":{"send":"p{{seq}}","every":"5s","answer":"^pong"}}"#)
        _ = driver.open()
        expectEqual(driver.secondsLeft, 5)
        expectEqual(driver.wait(5), [">p1"])
        expectEqual(driver.receive("pong"), ["hidden pong"])
        expectEqual(driver.wait(5), [">p2"])
        expectEqual(driver.wait(5), ["disconnect the server did not answer the heartbeat for 5 s"])
        expectNil(driver.secondsLeft)
        _ = driver.open()
        expectEqual(driver.secondsLeft, 5)
    }

    @Test("Subscriptions are sent again after a reconnect, unless the caller does that")
    func renewal() throws {
        let driver = try Self.driver(#"{"name":"x","prefix":"{\"id\":{{seq}},","suffix":"}","id":"/id","renew":"sub"}"#)
        _ = driver.open()
        _ = driver.type(#""sub":1"#)
        _ = driver.type(#""sub":1"#)
        _ = driver.type(#""other":1"#)
        _ = driver.type(#""sub":2"#, wantsReply: true)
        _ = driver.type(#""sub":3"#, wantsReply: true)
        _ = driver.receive(#"{"id":4}"#)
        expectEqual(
            driver.open(),
            [
                #">{"id":6,"sub":1}"#, #"renewed "sub":1"#, #">{"id":7,"sub":2}"#, #"renewed "sub":2"#, "ready",
            ])
    }

    @Test("A refused subscription is not sent again, and an unanswered one is not confirmed")
    func refusedRenewal() throws {
        let driver = try Self.driver(#"{"name":"x","id":"/id","error":"no","renew":"sub"}"#)
        _ = driver.open()
        _ = driver.type(#"{"id":1,"sub":1}"#)
        _ = driver.type(#"{"id":2,"sub":2}"#)
        _ = driver.type(#"{"id":3,"other":2}"#)
        expectEqual(driver.session.unconfirmedCount, 2)
        _ = driver.receive(#"{"id":3,"no":1}"#)
        expectEqual(driver.lastEvent?.isRefusal, false)
        _ = driver.receive(#"{"id":1,"no":1}"#)
        expectEqual(driver.lastEvent?.isRefusal, true)
        expectEqual(driver.session.unconfirmedCount, 1)
        _ = driver.receive(#"{"id":2}"#)
        expectEqual(driver.session.unconfirmedCount, 0)
        expectEqual(driver.open(), [#">{"id":2,"sub":2}"#, #"renewed {"id":2,"sub":2}"#, "ready"])
        expectEqual(driver.session.unconfirmedCount, 1)
    }

    // MARK: Examples

    @Test("Slack Socket Mode")
    func slack() throws {
        let driver = try Self.example("slack")
        expectEqual(driver.open(), [])
        expectEqual(driver.receive(#"{"type":"hello","num_connections":1}"#).last, "ready")
        expectEqual(
            driver.receive(#"{"envelope_id":"e-1","type":"events_api","payload":{"a":1}}"#),
            [
                #">{"envelope_id":"e-1"}"#, #"event events_api {"a":1}"#,
            ])
    }

    @Test("Discord Gateway")
    func discord() throws {
        let driver = try Self.example("discord", ["token": "t", "intents": "513"])
        expectEqual(driver.open(), [])
        let hello = driver.receive(#"{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":41250}}"#)
        #expect(hello[0].hasPrefix(#">{"op":2,"d":{"token":"t","intents":513,"#))
        expectEqual(driver.secondsLeft, 41.25)
        expectEqual(driver.wait(41.25), [#">{"op":1,"d":null}"#])
        expectEqual(driver.receive(#"{"t":null,"s":null,"op":11,"d":null}"#), ["hidden null"])
        expectEqual(driver.receive(#"{"t":"READY","s":1,"op":0,"d":{}}"#), ["hidden READY {}", "ready"])
        expectEqual(
            driver.receive(#"{"t":"MESSAGE_CREATE","s":2,"op":0,"d":{"id":"9"}}"#),
            [
                #"event MESSAGE_CREATE {"id":"9"}"#
            ])
        expectEqual(driver.receive(#"{"t":null,"s":null,"op":1,"d":null}"#)[0], #">{"op":1,"d":2}"#)
        expectEqual(driver.wait(41.25), [#">{"op":1,"d":2}"#])
        #expect(driver.receive(#"{"t":null,"s":null,"op":9,"d":false}"#)[0].hasPrefix("failure "))
    }

    @Test("OBS Studio")
    func obs() throws {
        let driver = try Self.example("obs")
        _ = driver.open()
        expectEqual(
            driver.receive(#"{"d":{"rpcVersion":1},"op":0}"#, #"{"d":{"negotiatedRpcVersion":1},"op":2}"#),
            [
                #">{"op":1,"d":{"rpcVersion":1}}"#, #"hidden {"rpcVersion":1}"#, #"hidden {"negotiatedRpcVersion":1}"#,
                "ready",
            ])
        expectEqual(
            driver.type(#""requestType":"GetVersion""#, wantsReply: true),
            [
                #">{"op":6,"d":{"requestId":"1","requestType":"GetVersion"}}"#, #"key "1""#,
            ])
        expectEqual(
            driver.receive(#"{"d":{"requestId":"1","requestStatus":{"code":204,"result":false}},"op":7}"#),
            [
                #"refused "1" {"requestId":"1","requestStatus":{"code":204,"result":false}}"#
            ])
        expectEqual(
            driver.receive(#"{"d":{"eventType":"ExitStarted","eventIntent":1},"op":5}"#),
            [
                #"event ExitStarted {"eventType":"ExitStarted","eventIntent":1}"#
            ])
    }

    @Test("Home Assistant")
    func homeAssistant() throws {
        let driver = try Self.example("home-assistant", ["token": "t"])
        _ = driver.open()
        expectEqual(
            driver.receive(#"{"type":"auth_required","ha_version":"2024.1"}"#)[0],
            #">{"type":"auth","access_token":"t"}"#)
        expectEqual(driver.receive(#"{"type":"auth_ok"}"#).last, "ready")
        expectEqual(driver.type(#""type":"subscribe_events""#, wantsReply: true).last, "key 1")
        #expect(driver.receive(#"{"id":1,"type":"result","success":true}"#)[0].hasPrefix("reply 1 result"))
        #expect(driver.receive(#"{"id":1,"type":"event","event":{}}"#)[0].hasPrefix("event event "))
        expectEqual(driver.wait(30), [#">{"id":2,"type":"ping"}"#])
        #expect(driver.receive(#"{"id":2,"type":"pong"}"#)[0].hasPrefix("hidden pong"))
        _ = driver.open()
        #expect(driver.receive(#"{"type":"auth_ok"}"#).contains(#">{"id":3,"type":"subscribe_events"}"#))
        #expect(driver.receive(#"{"type":"auth_invalid","message":"Invalid access token"}"#)[0].hasPrefix("failure "))
    }

    @Test("OCPP")
    func ocpp() throws {
        let driver = try Self.example("ocpp")
        expectEqual(driver.open(), ["ready"])
        expectEqual(
            driver.type(#""BootNotification",{}"#, wantsReply: true),
            [
                #">[2,"1","BootNotification",{}]"#, #"key "1""#,
            ])
        expectEqual(
            driver.receive(#"[2,"1","Reset",{"type":"Soft"}]"#),
            [
                #">[3,"1",{"status":"Accepted"}]"#, #"event Reset {"type":"Soft"}"#,
            ])
        expectEqual(driver.receive(#"[2,"2","GetConfiguration",{}]"#).first, #">[3,"2",{}]"#)
        expectEqual(driver.receive(#"[3,"1",{"status":"Accepted"}]"#), [#"reply "1" {"status":"Accepted"}"#])
        expectEqual(driver.receive(#"[4,"2","NotSupported","no",{}]"#), [#"refused "2" NotSupported no"#])
    }

    @Test("Pusher")
    func pusher() throws {
        let driver = try Self.example("pusher")
        expectEqual(driver.open(), [])
        expectEqual(
            driver.receive(#"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\"}"}"#),
            [
                #"hidden pusher:connection_established {"socket_id":"1.2"}"#, "ready",
            ])
        let subscribe = #"{"event":"pusher:subscribe","data":{"channel":"c"}}"#
        expectEqual(driver.type(subscribe), [">\(subscribe)"])
        expectEqual(driver.receive(#"{"event":"new","channel":"c","data":"{\"a\":1}"}"#), [#"event new {"a":1}"#])
        expectEqual(driver.receive(#"{"event":"pusher:ping","data":{}}"#)[0], #">{"event":"pusher:pong","data":{}}"#)
        #expect(
            driver.receive(#"{"event":"pusher:error","data":{"code":4001,"message":"no"}}"#)[0].hasPrefix("failure "))
        _ = driver.open()
        #expect(driver.receive(#"{"event":"pusher:connection_established"}"#).contains(">\(subscribe)"))
    }

    @Test("Nostr")
    func nostr() throws {
        let driver = try Self.example("nostr")
        expectEqual(driver.open(), ["ready"])
        let request = #"["REQ","a",{"limit":3}]"#
        expectEqual(driver.type(request, wantsReply: true), [">\(request)", #"key "a""#])
        expectEqual(driver.receive(#"["EVENT","a",{}]"#), [#"event EVENT ["EVENT","a",{}]"#])
        expectEqual(driver.receive(#"["EOSE","a"]"#), [#"reply "a" EOSE ["EOSE","a"]"#])
        expectEqual(driver.open(), [">\(request)", "renewed \(request)", "ready"])
    }

    @Test("WAMP")
    func wamp() throws {
        let driver = try Self.example("wamp", ["realm": "r"])
        expectEqual(driver.open().first?.hasPrefix(#">[1,"r",{"roles":{"#), true)
        expectEqual(driver.receive(#"[2,9129137332,{"roles":{}}]"#).last, "ready")
        let call = #"[48,1,{},"com.add",[2,3]]"#
        expectEqual(driver.type(call, wantsReply: true), [">\(call)", "key 1"])
        expectEqual(driver.receive("[50,1,{},[5]]"), ["reply 1 [50,1,{},[5]]"])
        _ = driver.type(#"[48,2,{},"com.no"]"#, wantsReply: true)
        let error = #"[8,48,2,{},"wamp.error.no_such_procedure",["no"]]"#
        expectEqual(driver.receive(error), ["refused 2 \(error)"])
        let subscription = #"[32,3,{},"com.topic"]"#
        _ = driver.type(subscription, wantsReply: true)
        expectEqual(driver.receive("[33,3,5512315355]"), ["reply 3 [33,3,5512315355]"])
        expectEqual(driver.receive(#"[36,5512315355,4429313566,{},["x"]]"#).first?.hasPrefix("event "), true)
        expectEqual(driver.receive(#"[6,{},"wamp.close.close_realm"]"#)[0], #">[6,{},"wamp.close.goodbye_and_out"]"#)
        _ = driver.open()
        #expect(driver.receive("[2,1,{}]").contains(">\(subscription)"))
        #expect(driver.receive(#"[3,{"message":"no"},"wamp.error.no_such_realm"]"#)[0].hasPrefix("failure "))
    }

    @Test("Jupyter")
    func jupyter() throws {
        let driver = try Self.example("jupyter")
        expectEqual(driver.open(), ["ready"])
        let sent = driver.type(#""1+1""#, wantsReply: true)
        let key = try #require(sent.last?.dropFirst(4))
        #expect(sent[0].contains(#""msg_type":"execute_request""#) && sent[0].contains("\"msg_id\":\(key)"))
        #expect(sent[0].hasSuffix(#""code":"1+1"}}"#))
        func reply(_ type: String, _ content: String) -> String {
            #"{"header":{"msg_id":"k","msg_type":"\#(type)"},"msg_id":"k","msg_type":"\#(type)","#
                + #""parent_header":{"msg_id":\#(key)},"metadata":{},"content":\#(content),"channel":"shell"}"#
        }
        #expect(driver.receive(reply("status", #"{"execution_state":"busy"}"#))[0].hasPrefix("hidden status "))
        #expect(driver.receive(reply("stream", #"{"name":"stdout","text":"2"}"#))[0].hasPrefix("event stream "))
        expectEqual(
            driver.receive(reply("execute_reply", #"{"status":"ok"}"#)),
            [
                #"reply \#(key) execute_reply {"status":"ok"}"#
            ])
        _ = driver.type(#""1/0""#, wantsReply: true)
        #expect(driver.receive(reply("execute_reply", #"{"status":"error"}"#))[0].hasPrefix("refused "))
    }

    // MARK: Errors

    static let errorsCases: [(String, String)] = [
        ("", "line 1, column 1: the file is not JSON: the text is incomplete"),
        ("[]", "line 1, column 1: the file is not a JSON object"),
        ("{\n  \"name\": x}", "line 2, column 11: unexpected character; the file must be JSON"),
        ("{}", "line 1, column 1: the protocol has no name"),
        (#"{"name":"a\u001b"}"#, "line 1, column 9: the name of the protocol contains a control character"),
        ("{\"name\":\"x\",\n\"nme\":1}", "line 2, column 1: unknown member \"nme\"; expected name, summary"),
        (#"{"name":"x","name":"x"}"#, "line 1, column 13: the member \"name\" occurs twice; delete one"),
        (#"{"name":1}"#, "line 1, column 9: 'name' is not a string"),
        (#"{"name":"x","first":"a"}"#, "line 1, column 21: 'first' is not an array of strings"),
        (#"{"name":"x","first":["a",[1]]}"#, "line 1, column 26: 'first' contains another value than a string"),
        (#"{"name":"x","first":["a","{{b}}"]}"#, "line 1, column 26: the text is invalid: unknown placeholder"),
        (#"{"name":"x","first":["{{last:/a}}"]}"#, "line 1, column 22: a first message cannot insert values"),
        (#"{"name":"x","answers":["a"]}"#, "line 1, column 24: the answer is invalid: "),
        (
            #"{"name":"x","answers":["a{{seq}} => b"]}"#,
            #"line 1, column 24: the answer is invalid: a regular expression has no placeholders; write '\\{\\{' for"#
        ),
        ("{\"name\":\"x\",\n \"ready\":\"(\"}", "line 2, column 10: the regular expression is invalid: "),
        (#"{"name":"x","id":"a"}"#, "line 1, column 18: the location is invalid: expected a path"),
        (#"{"name":"x","id":"/1=/~"}"#, "line 1, column 18: the location is invalid: "),
        (#"{"name":"x","id":"/1=/2=/3"}"#, "line 1, column 18: the location is invalid; write REQUEST=REPLY"),
        (#"{"name":"x","id":"/1="}"#, "line 1, column 18: the location is invalid: expected a path"),
        (#"{"name":"x","set":[]}"#, "line 1, column 19: 'set' is not a JSON object"),
        (#"{"name":"x","set":{"a":1}}"#, "line 1, column 24: the location of a variable is not a string"),
        (#"{"name":"x","parameters":["a","a"]}"#, "line 1, column 31: the variable \"a\" is defined twice"),
        (#"{"name":"x","parameters":["seq"]}"#, "line 1, column 27: \"seq\" is a placeholder"),
        (#"{"name":"x","heartbeat":{"send":"a"}}"#, "line 1, column 25: 'heartbeat' needs"),
        (#"{"name":"x","heartbeat":{"send":"a","evry":"1s"}}"#, "line 1, column 37: unknown member \"evry\""),
        (#"{"name":"x","heartbeat":{"send":"a","every":"0s"}}"#, "line 1, column 45: 'every' is not from 100ms"),
        (
            #"{"name":"x","heartbeat":{"send":"a","every":"often"}}"#,
            "line 1, column 45: 'every' is neither a duration"
        ),
        (#"{"name":"é","suffix":1}"#, "line 1, column 22: 'suffix' is not a string"),
    ]

    @Test("An error states the position", arguments: Self.errorsCases)
    func errors(file: String, words: String) {
        let error = #expect(throws: DeclarativeProtocolError.self) { try Self.read(file) }
        expectEqual(error?.description.hasPrefix(words), true, "\(error?.description ?? "none")")
    }
}
