import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct MQTTTests {
    private static let accepted: [UInt8] = [0x20, 2, 0, 0]
    private static let resumed: [UInt8] = [0x20, 2, 1, 0]

    private static func open(_ parameters: [String: String] = [:]) throws -> ProtocolDriver {
        let driver = try ProtocolDriver("mqtt", parameters)
        _ = driver.open()
        _ = driver.receive(binary: accepted)
        return driver
    }

    @Test("Topics with blanks are quoted when they are typed and shown")
    func blanks() throws {
        let driver = try Self.open()
        expectEqual(driver.type(#"pub "a b" hi"#), [">x300700036120626869"])
        expectEqual(driver.receive(binary: [0x30, 0x07, 0, 3, 0x61, 0x20, 0x62, 0x68, 0x69]), [#"event "a b" hi"#])
        expectEqual(driver.type(#""a b" hi"#), [">x300700036120626869"])
        expectEqual(driver.type(#"sub "a b/#""#).last?.contains("6120622f23"), true)
        expectEqual(
            driver.type(#"pub "a b hi"#),
            [
                "error the quote is not closed; write pub TOPIC MESSAGE, as in: pub a/b hello"
            ])
    }

    @Test("§3.1: CONNECT with the parameters")
    func connect() throws {
        try expectEqual(ProtocolDriver("mqtt").open(), [">x100c00044d51545404" + "02" + "003c" + "0000"])
        let driver = try ProtocolDriver(
            "mqtt", ["client-id": "c", "username": "u", "password": "p", "clean": "false", "keep-alive": "5"])
        expectEqual(driver.open(), [">x101300044d51545404" + "c0" + "0005" + "000163" + "000175" + "000170"])
        expectEqual(driver.receive(binary: Self.accepted), ["hidden CONNACK", "ready"])
        expectEqual(driver.lastEvent?.attributes, ["session-present": "false"])
    }

    @Test("A subscription is renewed, so its line must not be sent again")
    func renewal() throws {
        let driver = try Self.open()
        _ = driver.type("sub a")
        expectTrue(driver.session.renewsLastLine)
        _ = driver.type("pub a x")
        expectFalse(driver.session.renewsLastLine)
    }

    @Test(
        "Invalid parameters name the reason",
        arguments: [
            (["clean": "no"], "the parameter clean is invalid: expected true or false"),
            (["clean": "false"], "the parameter clean is invalid: a session to resume needs the parameter client-id"),
            (["password": "p"], "the parameter password is invalid: it needs the parameter username"),
            (["keep-alive": "65536"], "the parameter keep-alive is invalid: expected 0 to 65535 seconds"),
            (["client-id": "\0"], "the parameter client-id is invalid: expected at most 65,535 bytes without NUL"),
        ])
    func invalidParameters(parameters: [String: String], reason: String) {
        let error = #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("mqtt", parameters) }
        expectEqual(error?.description, reason)
    }

    @Test(
        "§3.2.2.3: return codes in words",
        arguments: [
            (1, "failure the server does not support MQTT 3.1.1"),
            (2, "failure the server rejected the client identifier; try --param client-id=NAME"),
            (3, "disconnect the MQTT service is unavailable"),
            (4, "failure the server rejected the user name or password"),
            (5, "failure the server did not authorize the client"),
            (77, "failure the server refused the connection with code 77"),
        ] as [(UInt8, String)])
    func returnCodes(code: UInt8, result: String) throws {
        let driver = try ProtocolDriver("mqtt")
        _ = driver.open()
        expectEqual(driver.receive(binary: [0x20, 2, 0, code]), [result])
    }

    static let typedCases: [(String, String)] = [
        ("pub t hello", "300800017468656c6c6f"), ("a/b c", "3006" + "0003612f62" + "63"), ("pub t", "3003000174"),
        ("pub -r t a", "3104000174" + "61"),
        ("pub -q 1 t a", "3206000174" + "0001" + "61"),
        ("pub -r -q 1 a/b a", "3308" + "0003612f62" + "0001" + "61"),
        (#"pub t {"$bytes":"AP8="}"#, "3005000174" + "00ff"), (#"pub t {"a":1}"#, "300a000174" + "7b2261223a317d"),
        ("sub t/#", "8208" + "0001" + "0003742f23" + "00"),
        ("sub -q 1 + a", "820a" + "0001" + "00012b01" + "00016101"),
        ("unsub a b", "a208" + "0001" + "000161" + "000162"),
    ]

    @Test("Typed lines become packets", arguments: Self.typedCases)
    func typed(line: String, packet: String) throws {
        try expectEqual(Self.open().type(line), [">x" + packet])
    }

    static let mistakesCases: [(String, String)] = [
        ("hello", #"unknown command "hello"; write: pub TOPIC MESSAGE, or: sub FILTER"#),
        ("pub", "the topic is missing; write pub TOPIC MESSAGE, as in: pub a/b hello"),
        ("pub -q 2 a b", "-q needs QoS 0 or 1, as in: pub -q 1 a/b"),
        ("pub a/# b", ##"the topic "a/#" is invalid; # and + are for filters"##),
        ("pub \"\" b", "the topic is empty"), (#"pub "a\u0000" b"#, "the topic contains NUL"),
        (#"sub "" a"#, "the filter is empty"),
        (
            #"pub "a"b c"#,
            "a blank is missing after the closing quote; write pub TOPIC MESSAGE, as in: pub a/b hello"
        ),
        (#"pub "a\x" b"#, "the quoted text is not a JSON string; write pub TOPIC MESSAGE, as in: pub a/b hello"),
        (#"pub "a\" b"#, "the quote is not closed; write pub TOPIC MESSAGE, as in: pub a/b hello"),
        ("sub", "sub needs 1 to 1,000 filters: sub a/#"),
        ("sub -r a", "-r is for pub: pub -r TOPIC MESSAGE"),
        ("sub a#", ##"the filter "a#" is invalid; + is a whole level, and # is the last one, as in a/+/#"##),
        ("sub #/a", ##"the filter "#/a" is invalid; + is a whole level, and # is the last one, as in a/+/#"##),
        ("unsub a/b+", ##"the filter "a/b+" is invalid; + is a whole level, and # is the last one, as in a/+/#"##),
    ]

    @Test("Lines that are no command name the mistake", arguments: Self.mistakesCases)
    func mistakes(line: String, error: String) throws {
        try expectEqual(Self.open().type(line), ["error \(error)"])
    }

    @Test("§3.9: granted and refused subscriptions")
    func subscriptions() throws {
        let driver = try Self.open()
        _ = driver.type("sub a b")
        expectEqual(
            driver.receive(binary: [0x90, 4, 0, 1, 0, 0x80]), ["notice a SUBACK QoS 0", "refusal b SUBACK refused"])
        expectEqual(driver.session.topics, ["a"])
        expectEqual(driver.type("sub -q 1 c", wantsReply: true).last, "key 2")
        expectEqual(driver.receive(binary: [0x90, 3, 0, 2, 1]), ["reply 2 c SUBACK QoS 1"])
        expectEqual(driver.type("sub d", wantsReply: true).last, "key 3")
        expectEqual(driver.receive(binary: [0x90, 3, 0, 3, 0x80]), ["refused 3 d SUBACK refused"])
        expectEqual(driver.type("unsub a", wantsReply: true).last, "key 4")
        expectEqual(driver.receive(binary: [0xB0, 2, 0, 4]), ["reply 4 UNSUBACK"])
        expectEqual(driver.session.topics, ["c"])
    }

    @Test("Subscriptions are renewed, unless the server resumes the session (§3.1.2.4)")
    func reconnect() throws {
        let driver = try Self.open(["client-id": "c", "clean": "false"])
        _ = driver.type("sub -q 1 a")
        _ = driver.type("sub b")
        _ = driver.open()
        expectEqual(
            driver.receive(binary: Self.accepted),
            [
                "hidden CONNACK", ">x820a" + "0003" + "00016101" + "00016200", "renewed a", "renewed b", "ready",
            ])
        _ = driver.open()
        expectEqual(driver.receive(binary: Self.resumed), ["hidden CONNACK", "ready"])
    }

    @Test("§4.3.2: publications with QoS 1 are confirmed in both directions")
    func confirmations() throws {
        let driver = try Self.open()
        expectEqual(driver.type("pub t a", wantsReply: true), [">x3206000174" + "0001" + "61", "key 1"])
        expectEqual(driver.receive(binary: [0x40, 2, 0, 1]), ["reply 1 PUBACK"])
        _ = driver.type("pub -q 1 t a")
        expectEqual(driver.receive(binary: [0x40, 2, 0, 2]), ["hidden PUBACK"])
        expectEqual(driver.receive(binary: [0x40, 2, 0, 2]), ["unknown a PUBACK packet confirms no packet"])
        let publish: [UInt8] = [0x3B, 6, 0, 1, 0x74, 0, 9, 0x61]
        expectEqual(driver.receive(binary: publish), ["event t a", ">x40020009"])
        expectEqual(driver.lastEvent?.attributes, ["qos": "1", "retain": "true", "dup": "true"])
        expectEqual(driver.receive(binary: [0x30, 5, 0, 1, 0x74, 0xFF, 0x00]), ["event t xff00"])
    }

    @Test("[MQTT-4.4.0-1]: unconfirmed publications are repeated with CleanSession 0")
    func repeated() throws {
        let driver = try Self.open(["client-id": "c", "clean": "false"])
        _ = driver.type("pub -q 1 t a")
        _ = driver.type("pub -q 1 t b")
        _ = driver.type("pub t c", wantsReply: true)
        _ = driver.receive(binary: [0x40, 2, 0, 1])
        _ = driver.open()
        expectEqual(
            driver.receive(binary: Self.resumed),
            [
                "hidden CONNACK", ">x3a06000174" + "0002" + "62", "renewed publication 2", "ready",
            ])
        expectEqual(driver.receive(binary: [0x40, 2, 0, 2]), ["hidden PUBACK"])
        _ = driver.open()
        expectEqual(driver.receive(binary: Self.resumed), ["hidden CONNACK", "ready"])
    }

    @Test("§3.1.2.10: a ping after the keep-alive time without a packet, and the end without an answer")
    func keepAlive() throws {
        let driver = try Self.open(["keep-alive": "10"])
        expectEqual(driver.secondsLeft, 10)
        expectEqual(driver.wait(6), [])
        _ = driver.type("pub t a")
        expectEqual(driver.secondsLeft, 10)
        expectEqual(driver.wait(10), [">xc000"])
        expectEqual(driver.receive(binary: [0xD0, 0]), ["hidden PINGRESP"])
        expectEqual(driver.wait(10), [">xc000"])
        expectEqual(driver.wait(10), ["disconnect the server did not answer a ping within 10 s"])
        expectNil(driver.secondsLeft)
        try expectNil(Self.open(["keep-alive": "0"]).secondsLeft)
    }

    @Test("Identifiers in use are skipped, and 0 is not used (§2.3.1)")
    func identifiers() throws {
        let driver = try Self.open()
        _ = driver.type("sub a")
        for number in 2...65_535 {
            #expect(driver.type("pub -q 1 t")[0].hasSuffix(hexadecimal(number)))
            _ = driver.receive(binary: [0x40, 2, UInt8(number >> 8), UInt8(number & 0xFF)])
        }
        // 1 is in use.
        expectEqual(driver.type("pub -q 1 t"), [">x3205000174" + "0002"])
    }

    private func hexadecimal(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    @Test("Outstanding confirmations are limited")
    func pendingLimit() throws {
        let driver = try Self.open()
        for _ in 0..<60_000 { _ = driver.type("pub -q 1 t") }
        expectEqual(driver.type("pub -q 1 t"), ["error 60,000 confirmations are outstanding; wait for some"])
        expectEqual(driver.type("pub t").count, 1)
    }

    @Test(
        "§4.8: violations end the connection with a reason",
        arguments: [
            ([0x00, 0], "packets of type 0 do not exist"), ([0xF0, 0], "packets of type 15 do not exist"),
            ([0xD1, 0], "a PINGRESP packet has invalid flags"), ([0xD0, 1, 0], "a PINGRESP packet is too long"),
            ([0xD0, 0x80, 0x80, 0x80, 0x80, 0x01], "the length of a packet has more than four bytes"),
            ([0x20, 2, 0, 0], "a CONNACK packet is repeated"), ([0x40, 1, 0], "a PUBACK packet is too short"),
            ([0x40, 2, 0, 0], "a PUBACK packet has the packet identifier 0"),
            ([0x90, 2, 0, 1], "a SUBACK packet has a wrong number of return codes"),
            ([0x90, 3, 0, 1, 3], "a SUBACK packet has a reserved return code"),
            ([0x30, 1, 0], "a PUBLISH packet is too short"),
            ([0x30, 4, 0, 3, 0x61, 0x62], "a PUBLISH packet is too short"),
            ([0x30, 2, 0, 0], "a PUBLISH packet has an invalid topic"),
            ([0x30, 3, 0, 1, 0x23], "a PUBLISH packet has an invalid topic"),
            ([0x30, 3, 0, 1, 0xFF], "a PUBLISH packet has an invalid string"),
            ([0x30, 3, 0, 1, 0], "a PUBLISH packet has an invalid string"),
            ([0x32, 5, 0, 1, 0x61, 0, 0], "a PUBLISH packet has the packet identifier 0"),
            ([0x34, 5, 0, 1, 0x61, 0, 1], "a PUBLISH packet has QoS 2"),
            ([0x36, 3, 0, 1, 0x61], "a PUBLISH packet has QoS 3"),
            ([0x82, 0], "a SUBSCRIBE packet is unexpected"),
        ] as [([UInt8], String)])
    func violations(packet: [UInt8], reason: String) throws {
        let driver = try Self.open()
        _ = driver.type("sub a")
        let words = "invalid MQTT: \(reason)"
        expectEqual(driver.receive(binary: packet), ["unknown \(words)", "disconnect \(words)"])
    }

    @Test("[MQTT-3.2.0-1]: another packet before CONNACK ends the connection")
    func packetBeforeAcceptance() throws {
        let driver = try ProtocolDriver("mqtt")
        _ = driver.open()
        let words = "invalid MQTT: a PINGRESP packet comes before CONNACK"
        expectEqual(driver.receive(binary: [0xD0, 0]), ["unknown \(words)", "disconnect \(words)"])
    }

    @Test("[MQTT-6.0.0-1]: text messages end the connection")
    func textMessages() throws {
        try expectEqual(
            Self.open().receive("hi"),
            [
                "unknown MQTT packets are in binary messages",
                "disconnect the server sent a text message, which MQTT does not allow",
            ])
    }

    @Test("[MQTT-6.0.0-2]: packets may share messages and be split at every offset")
    func splitting() throws {
        let long = [UInt8](repeating: 0x61, count: 200)
        let stream: [UInt8] =
            [0x30, 0xCB, 0x01, 0, 1, 0x74] + long + [0xD0, 0] + [0x32, 6, 0, 1, 0x74, 0, 9, 0x61] + [
                0x30, 3, 0, 1, 0x75,
            ]
        let events = [
            "event t " + String(repeating: "a", count: 200), "hidden PINGRESP", "event t a", ">x40020009", "event u",
        ]
        for split in 0...stream.count {
            let driver = try Self.open()
            expectEqual(
                driver.receive(binary: Array(stream[..<split])) + driver.receive(binary: Array(stream[split...])),
                events)
        }
        let driver = try Self.open()
        expectEqual(stream.flatMap { driver.receive(binary: [$0]) }, events)
    }

    @Test(
        "§2.2.3: lengths of one to four bytes",
        arguments: [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (2_097_151, 3), (2_097_152, 4)])
    func lengths(count: Int, lengthBytes: Int) throws {
        let packet = MQTTPacket(.publish, [UInt8](repeating: 7, count: count))
        expectEqual(packet.encoded.count, 1 + lengthBytes + count)
        var decoder = MQTTDecoder()
        decoder.receive(packet.encoded.span.bytes)
        let decoded = try decoder.next()
        expectEqual(decoded, packet)
    }

    @Test(
        "An unknown flag is an error, instead of a topic",
        arguments: [("pub --retain lamp on", "--retain"), ("sub a -q 1", "-q"), ("unsub -q 1 a", "-q")])
    func unknownFlag(line: String, flag: String) throws {
        let driver = try Self.open()
        let error = driver.type(line).first
        expectEqual(error?.hasPrefix("error unexpected flag \"\(flag)\"; write -q 1 and -r before the topic"), true)
    }

    @Test(
        "A topic that begins with a hyphen can be typed in quotes, or as it is shown",
        arguments: [#"pub "-a" x"#, "-a/b x"])
    func topicWithHyphen(line: String) throws {
        try expectEqual(Self.open().type(line).first?.hasPrefix(">x30"), true)
    }

    @Test("Packets beyond the limits end the connection")
    func limits() throws {
        let words = "an MQTT packet of 268435455 bytes exceeds 16 MiB"
        try expectEqual(
            Self.open().receive(binary: [0x30, 0xFF, 0xFF, 0xFF, 0x7F]),
            [
                "unknown \(words)", "disconnect \(words)",
            ])
        let pings = [[UInt8]](repeating: [0xD0, 0], count: MQTTDecoder.maximumPacketCount + 1).flatMap { $0 }
        try expectEqual(
            Self.open().receive(binary: pings).last, "disconnect a message has more than 65536 MQTT packets")
    }
}
