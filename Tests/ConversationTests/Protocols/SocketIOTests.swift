import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct SocketIOTests {
    private static let handshake = #"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#

    /// A session that is connected to the default namespace.
    private static func connected(_ parameters: [String: String] = [:]) throws -> ProtocolDriver {
        let driver = try ProtocolDriver("socket.io", parameters)
        _ = driver.open()
        _ = driver.receive(handshake, #"40{"sid":"b"}"#)
        return driver
    }

    @Test("The session connects to the default namespace with the payload for authentication")
    func opening() throws {
        let driver = try ProtocolDriver("socket.io", ["auth": #"{"token":"t"}"#])
        expectEqual(driver.open(), [])
        expectEqual(
            driver.receive(Self.handshake),
            [
                #"hidden open {"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#,
                #">40{"token":"t"}"#,
            ])
        expectEqual(driver.receive(#"40{"sid":"b"}"#), [#"hidden connect {"sid":"b"}"#, "ready"])
    }

    @Test("A refused connection to the default namespace fails with the server's words")
    func refusedAuthentication() throws {
        let driver = try ProtocolDriver("socket.io")
        _ = driver.open()
        _ = driver.receive(Self.handshake)
        expectEqual(
            driver.receive(#"44{"message":"wrong token"}"#),
            [
                #"failure the server refused the namespace /: "wrong token""#
            ])
        expectEqual(driver.receive(#"44"no""#), [#"failure the server refused the namespace /: "no""#])
    }

    static let eventsCases: [(String, String)] = [
        (#"42["chat",{"x":1}]"#, #"event chat {"x":1}"#), (#"42["foo"]"#, "event foo"),
        (#"42["a", 1, "b"]"#, #"event a [1,"b"]"#), (#"42["a",[1,2]]"#, "event a [[1,2]]"),
        (#"42["my event",1]"#, #"event "my event" 1"#), (#"42["a\n"]"#, #"event "a\n""#),
        (#"42/admin,["bar"]"#, "event /admin bar"), (#"42[1,2]"#, "event 1 2"),
        (#"42["a",12345678901234567890.50]"#, "event a 12345678901234567890.50"),
    ]

    @Test("Events have the notation of typed lines (Packet encoding)", arguments: Self.eventsCases)
    func events(packet: String, event: String) throws {
        try expectEqual(Self.connected().receive(packet), [event])
    }

    static let typedCases: [(String, String)] = [
        (#"chat {"x":1}"#, #">42["chat",{"x":1}]"#), ("foo", #">42["foo"]"#),
        (#"  chat  hi 'a b' 2 "#, #">42["chat","hi","a b",2]"#), ("a [1, 2]", #">42["a",1,2]"#),
        ("a [[1, 2]]", #">42["a",[1,2]]"#), (#"["a",{"x":1}]"#, #">42["a",{"x":1}]"#),
        (#""my event" 1"#, #">42["my event",1]"#), (#"a"b"#, #">42["a\"b"]"#),
    ]

    @Test("Typed lines become events", arguments: Self.typedCases)
    func typed(line: String, packet: String) throws {
        try expectEqual(Self.connected().type(line), [packet])
    }

    @Test("An event that was shown can be typed", arguments: ["1", #"["a"]"#, "[]", #"{"x":[1]}"#, "[[]]", "[1,2]"])
    func roundTrip(payload: String) throws {
        let driver = try Self.connected()
        let packet = driver.type("e \(payload)")[0].dropFirst()
        let shown = driver.receive(String(packet))[0].dropFirst("event ".count)
        expectEqual(driver.type(String(shown)), [">\(packet)"])
    }

    @Test("Acknowledgements match the lines that want a reply (Acknowledgement)")
    func acknowledgements() throws {
        let driver = try Self.connected()
        expectEqual(driver.type("a 1", wantsReply: true), [#">420["a",1]"#, "key 0"])
        expectEqual(driver.type("b", wantsReply: true), [#">421["b"]"#, "key 1"])
        expectEqual(driver.receive("431[]"), ["reply 1"])
        expectEqual(driver.receive(#"430[{"ok":true}]"#), [#"reply 0 {"ok":true}"#])
        expectEqual(driver.receive("437[1]"), ["reply 7 1"])
    }

    @Test("An event that asks for an acknowledgement gets an empty one")
    func answers() throws {
        let driver = try Self.connected()
        expectEqual(driver.receive(#"4212["a",1]"#), [">4312[]", "event a 1"])
        expectEqual(driver.lastEvent?.id, "12")
        expectEqual(driver.receive(#"42/admin,3["a"]"#), [">43/admin,3[]", "event /admin a"])
    }

    @Test("The arguments of acknowledgements are a parameter")
    func answersWithData() throws {
        let driver = try Self.connected(["ack": #"["ok", {"n":1}]"#])
        expectEqual(driver.receive(#"42/admin,3["a"]"#), [#">43/admin,3["ok",{"n":1}]"#, "event /admin a"])
        let binary = try Self.connected(["ack": #"[{"$bytes":"AQID"}]"#])
        expectEqual(binary.receive(#"423["a"]"#).first, #">461-3[{"_placeholder":true,"num":0}]"#)
        for parameter in ["{}", "1", #""ok""#] {
            #expect(throws: ProtocolParameterError.self) { try Self.connected(["ack": parameter]) }
        }
    }

    @Test("The first use of a namespace connects to it, and its events wait")
    func namespaces() throws {
        let driver = try Self.connected(["auth": "{}"])
        expectEqual(driver.type(#"/admin chat "hi""#), [">40/admin,{}", "waits 1"])
        expectEqual(driver.type("/admin chat 2", wantsReply: true), ["waits 2", "key 0"])
        expectEqual(
            driver.receive(#"40/admin,{"sid":"c"}"#),
            [
                #"notice /admin connect {"sid":"c"}"#, #">42/admin,["chat","hi"]"#, "sent 1",
                #">42/admin,0["chat",2]"#, "sent 2",
            ])
        expectEqual(driver.receive("43/admin,0[]"), ["reply 0 /admin"])
        expectEqual(driver.type("/admin x"), [#">42/admin,["x"]"#])
        expectEqual(driver.type("/other"), [">40/other,{}"])
        expectEqual(driver.session.topics, ["/", "/admin", "/other"])
    }

    @Test("Lines for a namespace that the server refuses fail, and its name alone tries again")
    func refusedNamespace() throws {
        let driver = try Self.connected()
        _ = driver.type("/admin a", wantsReply: true)
        expectEqual(driver.receive(Self.refusal), ["dropped 1", #"refused 0 /admin {"message":"no"}"#])
        expectEqual(driver.lastEvent?.isRefusal, true)
        expectEqual(driver.type("/admin a"), [#"error the server refused or ended "/admin""#])
        expectEqual(driver.type("/admin"), [">40/admin,"])
        expectEqual(driver.type("/admin a"), ["waits 2"])
        expectEqual(driver.receive(Self.refusal), [#"refusal /admin connect_error {"message":"no"}"#, "dropped 2"])
        _ = driver.open()
        expectEqual(driver.receive(Self.handshake).last, ">40")
    }

    private static let refusal = #"44/admin,{"message":"no"}"#

    @Test("A namespace alone has a reply: its connection or its refusal")
    func namespaceAlone() throws {
        let driver = try Self.connected()
        expectEqual(driver.type("/admin", wantsReply: true), [">40/admin,", "key /admin"])
        expectEqual(driver.session.unconfirmedCount, 1)
        expectEqual(driver.receive(#"40/admin,{"sid":"c"}"#), [#"reply /admin /admin connect {"sid":"c"}"#])
        expectEqual(driver.session.unconfirmedCount, 0)
        expectEqual(driver.type("/admin", wantsReply: true), [])
        let refused = try Self.connected()
        _ = refused.type("/admin", wantsReply: true)
        expectEqual(refused.receive(Self.refusal), [#"refused /admin /admin connect_error {"message":"no"}"#])
        expectEqual(refused.lastEvent?.isRefusal, true)
        let ended = try Self.connected()
        _ = ended.type("/admin", wantsReply: true)
        expectEqual(ended.receive("41/admin,").last, #"refused /admin /admin "disconnected""#)
    }

    @Test("Lines wait until their namespace is connected, and are dropped if it is refused")
    func unsentLines() throws {
        let driver = try Self.connected()
        _ = driver.type("/admin a")
        _ = driver.type("/admin b", wantsReply: true)
        expectEqual(driver.receive(#"44/admin,{"message":"no"}"#)[0], "dropped 1 2")
        _ = driver.type("/other a")
        expectEqual(driver.receive("40/other,{}"), ["notice /other connect {}", #">42/other,["a"]"#, "sent 3"])
    }

    @Test("The end of a namespace fails its outstanding acknowledgements")
    func disconnection() throws {
        let driver = try Self.connected()
        _ = driver.type("/a", wantsReply: true)
        _ = driver.receive("40/a,{}")
        _ = driver.type("/a b", wantsReply: true)
        expectEqual(driver.receive("41/a,"), ["notice /a disconnect", #"refused 0 /a "disconnected""#])
        expectEqual(driver.receive("41"), ["notice disconnect", "close 1000 Socket.IO disconnect packet"])
    }

    @Test("A parameter selects the default namespace, whose events have no prefix")
    func defaultNamespace() throws {
        let driver = try ProtocolDriver("socket.io", ["namespace": "/admin"])
        _ = driver.open()
        expectEqual(driver.receive(Self.handshake).last, ">40/admin,")
        expectEqual(driver.receive(#"40/admin,{"sid":"b"}"#), [#"hidden connect {"sid":"b"}"#, "ready"])
        expectEqual(driver.type("a"), [#">42/admin,["a"]"#])
        expectEqual(driver.receive(#"42/admin,["b"]"#), ["event b"])
        #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("socket.io", ["namespace": "admin"]) }
    }

    @Test("Attachments take the place of their placeholders (Format)")
    func receivedAttachments() throws {
        let driver = try Self.connected()
        let placeholders = #"{"_placeholder":true,"num":0},{"a":[{"num":1,"_placeholder":true}]}"#
        expectEqual(driver.receive("452-/admin,[\"baz\",\(placeholders)]"), [])
        // Pings may come between a packet and its attachments.
        expectEqual(driver.receive("2"), [">3", "hidden ping"])
        expectEqual(driver.receive(binary: [1, 2]), [])
        expectEqual(
            driver.receive(binary: [3]),
            [
                #"event /admin baz [{"$bytes":"AQI="},{"a":[{"$bytes":"Aw=="}]}]"#
            ])
        expectEqual(driver.receive(#"461-5[{"_placeholder":true,"num":0}]"#), [])
        expectEqual(driver.receive(binary: []), [#"reply 5 {"$bytes":""}"#])
        expectEqual(driver.receive(#"450-["a"]"#), ["event a"])
    }

    @Test("An attachment is inserted once, and invalid placeholders are unchanged")
    func invalidPlaceholders() throws {
        let driver = try Self.connected()
        let one = #"{"_placeholder":true,"num":0}"#
        _ = driver.receive("451-[\"a\",\(one),\(one),{\"_placeholder\":true,\"num\":9}]")
        expectEqual(
            driver.receive(binary: [1]),
            [
                "event a [{\"$bytes\":\"AQ==\"},\(one),{\"_placeholder\":true,\"num\":9}]"
            ])
    }

    @Test("An attachment whose placeholder has another number does not vanish silently")
    func wrongPlaceholder() throws {
        let driver = try Self.connected()
        let placeholder = #"{"_placeholder":true,"num":1}"#
        _ = driver.receive("451-[\"a\",\(placeholder)]")
        let events = driver.receive(binary: [1])
        expectEqual(events.last, "event a \(placeholder)")
        expectEqual(events.first?.contains("an attachment without a placeholder in its packet"), true)
    }

    @Test("Typed binary data is sent as attachments")
    func sentAttachments() throws {
        let driver = try Self.connected()
        expectEqual(
            driver.type(#"a {"$bytes":"AQI="} {"x":{"$bytes":"_w"}}"#, wantsReply: true),
            [
                #">452-0["a",{"_placeholder":true,"num":0},{"x":{"_placeholder":true,"num":1}}]"#, ">x0102", ">xff",
                "key 0",
            ])
        expectEqual(driver.type(#"a {"$bytes":"?"}"#), [#">42["a",{"$bytes":"?"}]"#])
    }

    @Test("Too large attachments end the connection")
    func attachmentLimit() throws {
        let driver = try Self.connected()
        _ = driver.receive(#"453-["a"]"#)
        let half = [UInt8](repeating: 0, count: SocketIOSession.maximumAttachmentBytes / 2)
        expectEqual(driver.receive(binary: half), [])
        expectEqual(driver.receive(binary: half), [])
        expectEqual(driver.receive(binary: [1]), ["disconnect the attachments of a packet have more than 16 MiB"])
    }

    static let malformedCases: [(String, String)] = [
        ("", "not an Engine.IO packet"), ("x", "not an Engine.IO packet"), ("5", "not an Engine.IO packet"),
        ("0", "the handshake has no valid pingInterval and pingTimeout"),
        (#"0{"pingInterval":-1,"pingTimeout":0}"#, "the handshake has no valid pingInterval and pingTimeout"),
        (
            #"0{"pingInterval":9223372036854775807,"pingTimeout":1}"#,
            "the handshake has no valid pingInterval and pingTimeout"
        ),
        ("4", "not a Socket.IO packet: its type is not 0 through 6"),
        ("47[]", "not a Socket.IO packet: its type is not 0 through 6"),
        ("42", "the payload of a packet is not an array"), ("42{}", "the payload of a packet is not an array"),
        ("42[1", "the payload of a packet is not an array"), ("42[]", "an event without a name"),
        ("42[null]", "an event without a name"), ("42[{}]", "an event without a name"),
        ("42[[]]", "an event without a name"), ("43[]", "an acknowledgement without an id"),
        ("43/a,5{}", "the payload of a packet is not an array"), ("40{", "the payload of a packet is not JSON"),
        ("45[\"a\"]", "a binary packet without the number of its attachments"),
        ("451[\"a\"]", "a binary packet without the number of its attachments"),
        ("45-[\"a\"]", "a binary packet without the number of its attachments"),
        ("451001-[\"a\"]", "a packet with more than 1000 attachments"),
        ("4299999999999999999999[\"a\"]", "the id of a packet is too large"),
    ]

    @Test("What is not a packet is passed on with the reason", arguments: Self.malformedCases)
    func malformed(text: String, reason: String) throws {
        try expectEqual(Self.connected().receive(text), ["unknown \(reason)"])
    }

    @Test("Binary data out of place is passed on with the reason")
    func misplacedBinary() throws {
        let driver = try Self.connected()
        expectEqual(driver.receive(binary: [1]), ["unknown binary data without a packet that announces it"])
        _ = driver.receive(#"452-["a"]"#)
        _ = driver.receive(binary: [1])
        expectEqual(driver.session.incompleteInput, "a Socket.IO packet that lacks 1 binary attachment")
        expectEqual(
            driver.receive(#"42["b"]"#),
            [
                "disconnect the server sent a packet after a Socket.IO packet that lacks 1 binary attachment"
            ])
        expectNil(driver.session.incompleteInput)
    }

    @Test("A close packet is the end of the session (Engine.IO, Packet encoding)")
    func closePacket() throws {
        try expectEqual(Self.connected().receive("1"), ["hidden close", "close 1001 Engine.IO close packet"])
    }

    @Test("A pingInterval of 0, as python-socketio rounds short ones, means that no ping is expected")
    func noPingInterval() throws {
        let driver = try ProtocolDriver("socket.io")
        _ = driver.open()
        expectEqual(driver.receive(#"0{"sid":"a","pingInterval":0,"pingTimeout":1000}"#).last, ">40")
        expectNil(driver.secondsLeft)
        expectEqual(driver.receive("2"), [">3", "hidden ping"])
        expectNil(driver.secondsLeft)
    }

    @Test("A server that sends no ping for both of its intervals is considered dead (Engine.IO, Heartbeat)")
    func silence() throws {
        let driver = try Self.connected()
        expectEqual(driver.secondsLeft, 45)
        expectEqual(driver.wait(44), [])
        expectEqual(driver.receive("2", "2probe"), [">3", "hidden ping", ">3probe", "hidden ping"])
        expectEqual(driver.secondsLeft, 45)
        expectEqual(driver.wait(45), ["disconnect the server sent nothing for 45 s, not even a ping"])
        expectNil(driver.secondsLeft)
    }

    @Test("After a reconnect, the session connects to its namespaces again and forgets lines")
    func reconnect() throws {
        let driver = try Self.connected()
        _ = driver.type("/a x")
        _ = driver.receive("40/a,{}")
        _ = driver.type("/a x", wantsReply: true)
        _ = driver.type("/b held")
        _ = driver.type("/b again", wantsReply: true)
        expectEqual(driver.open(), [])
        expectNil(driver.secondsLeft)
        expectEqual(
            Array(driver.receive(Self.handshake).dropFirst()),
            [
                ">40", ">40/a,", "renewed /a", ">40/b,", "renewed /b",
            ])
        expectEqual(driver.receive("40{}"), ["hidden connect {}", "ready"])
        expectEqual(driver.receive("40/b,{}"), ["notice /b connect {}"])
        expectEqual(driver.type("x", wantsReply: true), [#">422["x"]"#, "key 2"])
    }

    static let mistakesCases: [(String, String)] = [
        ("", "the event is missing"), (#"{"x":1}"#, "the event has no name"), ("[1]", "the array is not an event"),
        ("[\"a\"", "the array is not an event"), ("\"a", "the quote is not closed"),
        ("disconnect", "the event name 'disconnect' is reserved"), ("[\"connect\"]", "is reserved"),
        ("a [1", "in the arguments, the bracket at byte 1 is not closed"), ("/a,b c", "a namespace has no commas"),
        ("/a {\"x\":1}", "the event has no name"),
    ]

    @Test("An error names the expected form", arguments: Self.mistakesCases)
    func mistakes(line: String, words: String) throws {
        let result = try Self.connected().type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }

    // MARK: Socket.IO 2

    private static func version2(_ parameters: [String: String] = [:]) throws -> ProtocolDriver {
        let found = try #require(ApplicationProtocol(named: "socket.io")).version(askedBy: "http://h/?EIO=3#x")
        return ProtocolDriver(try found.session(ProtocolParameters(parameters)))
    }

    @Test("A session of Socket.IO 2 is ready when the server has connected it, and sends the pings")
    func version2Heartbeats() throws {
        let driver = try Self.version2()
        expectEqual(driver.open(), [])
        expectEqual(driver.receive(Self.handshake).count, 1)
        expectEqual(driver.receive("40"), ["hidden connect", "ready"])
        expectEqual(driver.type("chat 1", wantsReply: true), [#">420["chat",1]"#, "key 0"])
        expectEqual(driver.secondsLeft, 25)
        expectEqual(driver.wait(25), [">2"])
        expectEqual(driver.receive("3"), ["hidden pong"])
        expectEqual(driver.wait(25), [">2"])
        // Without a pong, the server is silent for 45 s.
        expectEqual(driver.secondsLeft, 20)
        expectEqual(driver.wait(20), ["disconnect the server sent nothing for 45 s, not even a pong"])
        expectEqual(driver.open(), [])
        expectNil(driver.secondsLeft)
    }

    @Test("A server cannot make a session of Socket.IO 2 send pings without a pause")
    func version2ShortInterval() throws {
        let driver = try Self.version2()
        _ = driver.open()
        _ = driver.receive(#"0{"sid":"a","pingInterval":0,"pingTimeout":1}"#)
        expectEqual(driver.secondsLeft.map { ($0 * 1000).rounded() }, 100)
    }

    @Test("Other namespaces are connected without a payload, and the default one need not be the main one")
    func version2Namespaces() throws {
        let driver = try Self.version2(["namespace": "/admin"])
        _ = driver.open()
        expectEqual(driver.receive(Self.handshake).last, ">40/admin,")
        expectEqual(driver.receive("40"), ["hidden / connect"])
        expectEqual(driver.receive("40/admin"), ["hidden connect", "ready"])
        expectEqual(driver.type("/ hi"), [#">42["hi"]"#])
        expectEqual(driver.type("/x hi"), [">40/x,", "waits 1"])
        expectEqual(driver.receive("40/x,"), ["notice /x connect", #">42/x,["hi"]"#, "sent 1"])
        expectEqual(driver.receive(#"44/admin,"no""#), [#"failure the server refused the namespace "/admin": "no""#])
    }

    @Test("Binary data of Engine.IO 3 begins with the type of the packet, or is Base64")
    func version2Binary() throws {
        let driver = try Self.version2()
        _ = driver.open()
        _ = driver.receive(Self.handshake, "40")
        expectEqual(
            driver.type(#"a {"$bytes":"AQI="}"#), [#">451-["a",{"_placeholder":true,"num":0}]"#, ">x040102"])
        for last in [driver.receive(binary:), { _ in driver.receive("b4AQI=") }] {
            expectEqual(driver.receive(#"451-["a",{"_placeholder":true,"num":0}]"#), [])
            expectEqual(last([4, 1, 2]), [#"event a {"$bytes":"AQI="}"#])
        }
        expectEqual(driver.receive(binary: [2]), ["unknown binary data without a packet that announces it"])
        expectEqual(driver.receive("b4?"), ["unknown not an Engine.IO packet"])
    }

    @Test("A session of Socket.IO 2 has no parameter auth, and other versions are not asked for by accident")
    func version2Parameters() throws {
        #expect(throws: ProtocolParameterError.unknown("auth", known: ["namespace", "ack"])) {
            _ = try Self.version2(["auth": "{}"])
        }
        let found = try #require(ApplicationProtocol(named: "socket.io"))
        for url in ["http://h/", "h/?EIO=4", "h/?x=EIO=3", "h/EIO=3", "h/#?EIO=3x", "h/?EIO=30"] {
            expectEqual(found.version(askedBy: url).endpoint, found.endpoint)
        }
    }
}
