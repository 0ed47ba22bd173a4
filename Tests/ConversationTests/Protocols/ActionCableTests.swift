import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ActionCableTests {
    private static let chat = #"{\"channel\":\"Chat\"}"#
    private static let room = #"{\"channel\":\"Chat\",\"room\":1}"#

    /// A session that the server has welcomed, after these lines.
    private static func ready(_ lines: String...) throws -> ProtocolDriver {
        let driver = try ProtocolDriver("actioncable")
        _ = driver.open("actioncable-v1-json")
        _ = driver.receive(#"{"type":"welcome"}"#)
        for line in lines { _ = driver.type(line) }
        return driver
    }

    private static func confirmation(_ identifier: String) -> String {
        #"{"identifier":"\#(identifier)","type":"confirm_subscription"}"#
    }

    @Test("The session is ready once the server welcomes it")
    func opening() throws {
        let driver = try ProtocolDriver("actioncable")
        expectEqual(driver.open("actioncable-v1-json"), [])
        expectEqual(driver.receive(#"{"type":"welcome"}"#), ["hidden welcome", "ready"])
        expectEqual(
            driver.open("actioncable-unsupported"),
            [
                "failure the server does not support the subprotocol actioncable-v1-json"
            ])
    }

    @Test("A subscription has an identifier with its channel and parameters, and is confirmed")
    func subscription() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.type(#"subscribe Chat {"room": 1}"#), [#">{"command":"subscribe","identifier":"\#(Self.room)"}"#])
        expectEqual(driver.receive(Self.confirmation(Self.room)), [#"notice Chat {"room":1} subscribed"#])
        expectEqual(
            driver.type("subscribe Chat", wantsReply: true),
            [
                #">{"command":"subscribe","identifier":"\#(Self.chat)"}"#, "key 2",
            ])
        expectEqual(driver.receive(Self.confirmation(Self.chat)), ["reply 2 Chat subscribed"])
        expectEqual(driver.session.topics, [#"Chat {"room":1}"#, "Chat"])
        expectEqual(
            driver.type(#"unsubscribe Chat {"room":1}"#),
            [
                #">{"command":"unsubscribe","identifier":"\#(Self.room)"}"#
            ])
    }

    @Test("Messages of a channel are events with the subscription as typed")
    func events() throws {
        let driver = try Self.ready(#"subscribe Chat {"room":1}"#)
        expectEqual(
            driver.receive(#"{"identifier":"\#(Self.room)","message":{"text": "hi"}}"#),
            [
                #"event Chat {"room":1} {"text":"hi"}"#
            ])
        expectEqual(driver.receive(#"{"identifier":"x","message":1.0}"#), ["event x 1.0"])
        // A server must not add lines to the output.
        expectEqual(driver.receive(#"{"identifier":"x\ny z","message":1}"#), [#"event "x\ny z" 1"#])
        expectEqual(
            driver.receive(#"{"identifier":"{\"channel\":\"B\",\n\"a\":2}","message":1}"#),
            [
                #"event "B {\n\"a\":2}" 1"#
            ])
    }

    @Test("Actions are sent once the subscription is confirmed")
    func actions() throws {
        let driver = try Self.ready("subscribe Chat")
        expectEqual(driver.type(#"Chat speak {"text":"hi"}"#), ["waits 1"])
        let sent =
            #">{"command":"message","identifier":"\#(Self.chat)","data":"{\"text\":\"hi\",\"action\":\"speak\"}"}"#
        expectEqual(driver.receive(Self.confirmation(Self.chat)), ["notice Chat subscribed", sent, "sent 1"])
        expectEqual(driver.type(#"Chat speak {"text":"hi"}"#, wantsReply: true), [sent])
        expectEqual(
            driver.type("Chat away"),
            [
                #">{"command":"message","identifier":"\#(Self.chat)","data":"{\"action\":\"away\"}"}"#
            ])
    }

    @Test("With several subscriptions to a channel, the parameters choose one")
    func severalSubscriptions() throws {
        let driver = try Self.ready(#"subscribe Chat {"room":1}"#, #"subscribe Chat {"room":2}"#)
        _ = driver.receive(Self.confirmation(Self.room))
        expectEqual(
            driver.type(#"Chat {"room": 1} speak"#),
            [
                #">{"command":"message","identifier":"\#(Self.room)","data":"{\"action\":\"speak\"}"}"#
            ])
        expectEqual(
            driver.type("Chat speak"),
            [
                #"error "Chat" has 2 subscriptions; write the parameters after the channel, as in: Chat {"room":1}"#
            ])
        _ = driver.type("subscribe Chat")
        _ = driver.receive(Self.confirmation(Self.chat))
        expectEqual(
            driver.type("Chat speak"),
            [
                #">{"command":"message","identifier":"\#(Self.chat)","data":"{\"action\":\"speak\"}"}"#
            ])
    }

    @Test("A rejected subscription is reported and not renewed, and a line can subscribe again")
    func rejection() throws {
        let driver = try Self.ready("subscribe Chat")
        expectEqual(driver.session.unconfirmedCount, 1)
        expectEqual(driver.receive(Self.rejection), ["refusal Chat rejected"])
        expectEqual(driver.lastEvent?.isRefusal, true)
        #expect(driver.session.topics == [] && driver.session.unconfirmedCount == 0)
        _ = driver.type("subscribe Chat", wantsReply: true)
        expectEqual(driver.receive(Self.rejection), ["refused 2 Chat rejected"])
        expectEqual(driver.lastEvent?.isRefusal, true)
        _ = driver.open("actioncable-v1-json")
        expectEqual(driver.receive(#"{"type":"welcome"}"#), ["hidden welcome", "ready"])
    }

    private static let rejection = #"{"identifier":"\#(chat)","type":"reject_subscription"}"#

    @Test("A line after the rejection is refused like one before it, instead of being a mistake")
    func lineAfterRejection() throws {
        let driver = try Self.ready("subscribe Chat")
        _ = driver.receive(Self.rejection)
        let refusal = [#"error the server refused or ended "Chat""#]
        expectEqual(driver.type("Chat speak"), refusal)
        expectEqual(driver.type("unsubscribe Chat"), refusal)
        #expect(driver.type("Chat speak")[0].hasPrefix("error no subscription to"))
        let waiting = try Self.ready("subscribe Chat", "Chat speak", "unsubscribe Chat")
        expectEqual(waiting.receive(Self.rejection), ["refusal Chat rejected", "dropped 1 2"])
        #expect(waiting.type("Chat speak")[0].hasPrefix("error no subscription to"))
    }

    @Test("A rejected subscription still makes a channel without parameters ambiguous")
    func ambiguityAfterRejection() throws {
        let driver = try Self.ready("subscribe Chat {\"a\":1}", "subscribe Chat {\"a\":2}")
        _ = driver.receive(
            #"{"identifier":"{\"channel\":\"Chat\",\"a\":2}","type":"reject_subscription"}"#)
        #expect(driver.type("Chat speak")[0].hasPrefix("error \"Chat\" has 2 subscriptions"))
    }

    @Test("A second line for the same subscription shares the answer to the first one")
    func repeatedSubscription() throws {
        let driver = try Self.ready("subscribe Chat")
        expectEqual(driver.type("subscribe Chat", wantsReply: true), ["key 1"])
        expectEqual(driver.receive(Self.confirmation(Self.chat)), ["reply 1 Chat subscribed"])
        expectEqual(driver.type("subscribe Chat", wantsReply: true), ["notice Chat subscribed"])
    }

    @Test("Actions wait until their subscription is confirmed, and are dropped if it is rejected")
    func unsentLines() throws {
        let driver = try Self.ready("subscribe Chat", "Chat speak", "Chat away")
        let rejection = #"{"identifier":"\#(Self.chat)","type":"reject_subscription"}"#
        expectEqual(driver.receive(rejection), ["refusal Chat rejected", "dropped 1 2"])
        let confirmed = try Self.ready("subscribe Chat", "Chat speak")
        expectEqual(confirmed.receive(Self.confirmation(Self.chat)).last, "sent 1")
    }

    @Test("An unsubscription does not overtake the actions that wait, nor hide the confirmation")
    func unsubscriptionAfterActions() throws {
        let driver = try Self.ready()
        expectEqual(driver.type("subscribe Chat", wantsReply: true).last, "key 1")
        expectEqual(driver.type("Chat speak"), ["waits 1"])
        expectEqual(driver.type("unsubscribe Chat"), ["waits 2"])
        #expect(driver.type("Chat away")[0].hasPrefix("error no subscription to \"Chat\" matches"))
        expectEqual(driver.type("subscribe Chat", wantsReply: true), ["waits 3", "key 2"])
        expectEqual(driver.type("Chat away"), ["waits 4"])
        func command(_ name: String) -> String { #">{"command":"\#(name)","identifier":"\#(Self.chat)"}"# }
        expectEqual(
            driver.receive(Self.confirmation(Self.chat)),
            [
                "reply 1 Chat subscribed",
                #">{"command":"message","identifier":"\#(Self.chat)","data":"{\"action\":\"speak\"}"}"#, "sent 1",
                command("unsubscribe"), "sent 2", command("subscribe"), "sent 3",
            ])
        expectEqual(
            driver.receive(Self.confirmation(Self.chat)),
            [
                "reply 2 Chat subscribed",
                #">{"command":"message","identifier":"\#(Self.chat)","data":"{\"action\":\"away\"}"}"#, "sent 4",
            ])
    }

    @Test("After a rejection, a later subscription that waits is sent")
    func rejectionOfWaitingSubscription() throws {
        let driver = try Self.ready("subscribe Chat", "unsubscribe Chat")
        _ = driver.type("subscribe Chat", wantsReply: true)
        expectEqual(
            driver.receive(#"{"identifier":"\#(Self.chat)","type":"reject_subscription"}"#),
            [
                "refusal Chat rejected", "dropped 1",
                #">{"command":"subscribe","identifier":"\#(Self.chat)"}"#, "sent 2",
            ])
        expectEqual(driver.receive(Self.confirmation(Self.chat)), ["reply 2 Chat subscribed"])
    }

    @Test("A message after the end of its subscription has the topic as typed")
    func lateMessage() throws {
        let driver = try Self.ready(#"subscribe Chat {"room":1}"#)
        _ = driver.receive(Self.confirmation(Self.room))
        _ = driver.type(#"unsubscribe Chat {"room":1}"#)
        expectEqual(driver.receive(#"{"identifier":"\#(Self.room)","message":5}"#), [#"event Chat {"room":1} 5"#])
        expectEqual(driver.receive(#"{"identifier":"{\"channel\":\"B\"}","message":5}"#), ["event B 5"])
        expectEqual(driver.receive(#"{"identifier":"other","message":5}"#), ["event other 5"])
    }

    @Test("On a new connection, subscriptions are renewed, and actions that waited are forgotten")
    func forgottenActions() throws {
        let driver = try Self.ready("subscribe Chat")
        expectTrue(driver.session.renewsLastLine)
        _ = driver.type("Chat speak")
        expectFalse(driver.session.renewsLastLine)
        _ = driver.open("actioncable-v1-json")
        _ = driver.receive(#"{"type":"welcome"}"#)
        expectEqual(driver.receive(Self.confirmation(Self.chat)), ["notice Chat subscribed"])
    }

    @Test("Pings are hidden, and a server that sends none for 6 seconds is considered dead")
    func silence() throws {
        let driver = try Self.ready()
        expectEqual(driver.secondsLeft, 6)
        expectEqual(driver.wait(5), [])
        expectEqual(driver.receive(#"{"type":"ping","message":1700000000}"#), ["hidden ping 1700000000"])
        expectEqual(driver.secondsLeft, 6)
        expectEqual(driver.wait(6), ["disconnect the server sent nothing for 6 s, not even a ping"])
        expectNil(driver.secondsLeft)
    }

    @Test("The server's disconnect message ends the run, unless it allows a reconnect")
    func disconnect() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.receive(#"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#),
            [
                #"failure the server disconnects: "unauthorized""#
            ])
        expectEqual(
            driver.receive(#"{"type":"disconnect","reason":"server_restart","reconnect":true}"#),
            [
                #"disconnect the server disconnects: "server_restart""#
            ])
    }

    @Test("After a reconnect, subscriptions are renewed")
    func reconnect() throws {
        let driver = try Self.ready("subscribe Chat")
        _ = driver.receive(Self.confirmation(Self.chat))
        _ = driver.type("subscribe Other", wantsReply: true)
        expectEqual(driver.open("actioncable-v1-json"), [])
        expectNil(driver.secondsLeft)
        expectEqual(
            driver.receive(#"{"type":"welcome"}"#),
            [
                "hidden welcome", #">{"command":"subscribe","identifier":"\#(Self.chat)"}"#, "renewed Chat", "ready",
            ])
        expectEqual(driver.type("Chat a"), ["waits 1"])
        expectEqual(driver.receive(Self.confirmation(Self.chat)).count, 3)
    }

    @Test(
        "An unknown message is passed on with the reason",
        arguments: [
            ("", "not a message of Action Cable: a JSON object"),
            ("[]", "not a message of Action Cable: a JSON object"),
            ("{}", "a message of Action Cable without a type or an identifier"),
            (#"{"identifier":"a"}"#, "a message of Action Cable without a type or an identifier"),
            (#"{"type":"x"}"#, #"a message of Action Cable with the unknown type "x""#),
            (#"{"type":"confirm_subscription"}"#, "a confirmation without an identifier"),
            (#"{"type":"reject_subscription"}"#, "a rejection without an identifier"),
        ])
    func malformed(text: String, reason: String) throws {
        try expectEqual(Self.ready().receive(text), ["unknown \(reason)"])
    }

    static let mistakesCases: [(String, String)] = [
        ("", "the channel is missing; write CHANNEL ACTION [JSON]"), ("subscribe", "write subscribe CHANNEL"),
        (#"{"x":1}"#, "the channel is missing"), ("subscribe Chat 1", "the parameters are not a JSON object"),
        ("subscribe Chat {", "the parameters are not a JSON object; write subscribe"),
        (#"subscribe Chat {"channel":"x"}"#, "the parameters contain the channel"),
        ("A", "the action is missing"),
        ("A speak 1", "the data of the action is not a JSON object"), ("A speak {} 1", "the data of the action"),
        ("B speak", "no subscription to \"B\" matches; write subscribe"), ("unsubscribe B", "no subscription to"),
        (#"A {"x":1} speak"#, "no subscription to \"A\" matches"), ("unsubscribe A B", "the parameters are not"),
    ]

    @Test("An error names the expected form", arguments: Self.mistakesCases)
    func mistakes(line: String, words: String) throws {
        let result = try Self.ready("subscribe A").type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }
}
