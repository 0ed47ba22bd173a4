import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct GraphQLTests {
    /// A session that the server has acknowledged.
    private static func ready(_ subprotocol: String = "graphql-transport-ws") throws -> ProtocolDriver {
        let driver = try ProtocolDriver("graphql")
        _ = driver.open(subprotocol)
        _ = driver.receive(#"{"type":"connection_ack"}"#)
        return driver
    }

    @Test("The session is ready once the server acknowledges the connection (ConnectionAck)")
    func opening() throws {
        let driver = try ProtocolDriver("graphql", ["payload": #"{"token":"t"}"#])
        expectEqual(driver.open("graphql-transport-ws"), [#">{"type":"connection_init","payload":{"token":"t"}}"#])
        expectEqual(
            driver.receive(#"{"type":"connection_ack","payload":{"a":1}}"#),
            [
                #"hidden connection_ack {"a":1}"#, "ready",
            ])
        #expect(throws: ProtocolParameterError.self) { try ProtocolDriver("graphql", ["payload": "[]"]) }
    }

    static let requestsCases: [(String, String)] = [
        ("{ a }", #"{"query":"{ a }"}"#), (#"  { a } {"x": 1} "#, #"{"query":"{ a }","variables":{"x":1}}"#),
        ("query Q { a }{}", #"{"query":"query Q { a }","variables":{}}"#),
        (#"{ a(b: "}{\"x\"") }"#, #"{"query":"{ a(b: \"}{\\\"x\\\"\") }"}"#),
        (
            #"{ a(b: """"x" \""" {""") } {"c":2}"#,
            #"{"query":"{ a(b: \"\"\"\"x\" \\\"\"\" {\"\"\") }","variables":{"c":2}}"#
        ),
        ("{ a } # {\"x\":1}", #"{"query":"{ a } # {\"x\":1}"}"#),
        ("query Q($a: I = {x: 1}, $b: I = {}) { a }", #"{"query":"query Q($a: I = {x: 1}, $b: I = {}) { a }"}"#),
        (#"{"query": "{ a }", "operationName": "Q"}"#, #"{"query":"{ a }","operationName":"Q"}"#),
    ]

    @Test(
        "A document and its variables become the payload of a subscription (Subscribe)", arguments: Self.requestsCases)
    func requests(line: String, payload: String) throws {
        let driver = try Self.ready()
        expectEqual(driver.type(line), ["\(#">{"id":"1","type":"subscribe","payload":"#)\(payload)}", "key 1"])
    }

    static let subscriptionsCases: [(String, Bool)] = [
        ("subscription { a }", true), ("{ subscription }", false), ("query subscription { a }", false),
        ("query Q($subscription: Int) { a }", false), ("# subscription\nsubscription{a}", true),
        ("fragment F on T { a } subscription S { a }", true), ("fragment subscription on T { a } { b }", false),
        ("query @subscription { a }", false), (#""a" subscription { a }"#, true), ("mutation { a }", false),
    ]

    @Test("A document with a subscription has a stream of results", arguments: Self.subscriptionsCases)
    func subscriptions(document: String, isSubscription: Bool) throws {
        try expectEqual(GraphQLDocument(Array(document.utf8)).isSubscription, isSubscription)
    }

    @Test("The result of a query is its reply, and its end is hidden (Next)")
    func query() throws {
        let driver = try Self.ready()
        _ = driver.type("{ a }", wantsReply: true)
        expectEqual(
            driver.receive(#"{"id":"1","type":"next","payload":{"data":{"a":1}}}"#), [#"reply 1 {"data":{"a":1}}"#])
        expectEqual(driver.receive(#"{"id":"1","type":"complete"}"#), ["hidden complete 1"])
        _ = driver.type("{ a }")
        expectEqual(
            driver.receive(#"{"id":"2","type":"next","payload":{"data":null,"errors":[{"message":"no"}]}}"#),
            [
                #"refused 2 {"data":null,"errors":[{"message":"no"}]}"#
            ])
        _ = driver.type("{ a }")
        expectEqual(driver.receive(#"{"id":"3","type":"complete"}"#), ["reply 3 complete 3"])
    }

    @Test("The results of a subscription are events, and its end is a notice")
    func subscription() throws {
        let driver = try Self.ready()
        expectEqual(driver.type("subscription { a }").count, 1)
        let next = #"{"id":"1","type":"next","payload":{"data":{"a":1.50}}}"#
        expectEqual(driver.receive(next, next), [#"event {"data":{"a":1.50}}"#, #"event {"data":{"a":1.50}}"#])
        expectEqual(driver.lastEvent?.id, "1")
        expectEqual(driver.receive(#"{"id":"1","type":"complete"}"#), ["notice complete 1"])
        expectEqual(driver.receive(next), [#"hidden next {"data":{"a":1.50}}"#])
    }

    @Test("The end of a subscription is the reply that the caller waits for")
    func awaitedSubscription() throws {
        let driver = try Self.ready()
        expectEqual(driver.type("subscription { a }", wantsReply: true).last, "key 1")
        expectEqual(driver.receive(#"{"id":"1","type":"next","payload":1}"#), ["event 1"])
        expectEqual(driver.receive(#"{"id":"1","type":"complete"}"#), ["reply 1 complete 1"])
    }

    @Test("An error ends an operation (Error)")
    func errors() throws {
        let driver = try Self.ready()
        _ = driver.type("{ a }", wantsReply: true)
        _ = driver.type("subscription { a }")
        _ = driver.type("subscription { a }", wantsReply: true)
        let errors = #"[{"message":"no"}]"#
        expectEqual(driver.receive(#"{"id":"1","type":"error","payload":\#(errors)}"#), ["refused 1 error \(errors)"])
        expectEqual(driver.receive(#"{"id":"2","type":"error","payload":\#(errors)}"#), ["refusal error \(errors)"])
        expectEqual(driver.receive(#"{"id":"3","type":"error","payload":\#(errors)}"#), ["refused 3 error \(errors)"])
        expectEqual(driver.receive(#"{"id":"3","type":"complete"}"#), ["hidden complete"])
    }

    @Test("Errors in a result of a subscription make its event an error")
    func errorInSubscription() throws {
        let driver = try Self.ready()
        _ = driver.type("subscription { a }")
        let payload = #"{"data":null,"errors":[{"message":"no"}]}"#
        expectEqual(driver.receive(#"{"id":"1","type":"next","payload":\#(payload)}"#), ["error event \(payload)"])
        expectEqual(
            driver.receive(#"{"id":"1","type":"next","payload":{"data":1,"errors":null}}"#),
            [
                #"event {"data":1,"errors":null}"#
            ])
    }

    @Test("Typing complete ends a subscription (Complete)")
    func completion() throws {
        let driver = try Self.ready()
        _ = driver.type("subscription { a }")
        expectEqual(driver.type("complete 1"), [#">{"id":"1","type":"complete"}"#, "notice complete 1"])
        // The server may have completed it just before.
        expectEqual(driver.type("complete 1"), [])
        expectEqual(driver.type("complete 2").last?.hasPrefix("error complete needs the id of an operation"), true)
    }

    @Test("Pings are answered and hidden (Ping)")
    func pings() throws {
        let driver = try Self.ready()
        expectEqual(driver.receive(#"{"type":"ping"}"#), [#">{"type":"pong"}"#, "hidden ping"])
        expectEqual(driver.receive(#"{"type":"pong","payload":{"a":1}}"#), [#"hidden pong {"a":1}"#])
    }

    @Test("The older subprotocol has other names for messages")
    func legacy() throws {
        let driver = try Self.ready("graphql-ws")
        expectEqual(
            driver.type("subscription { a }"),
            [
                #">{"id":"1","type":"start","payload":{"query":"subscription { a }"}}"#
            ])
        expectEqual(driver.receive(#"{"id":"1","type":"data","payload":{"data":1}}"#), [#"event {"data":1}"#])
        expectEqual(driver.receive(#"{"type":"ka"}"#), ["hidden ka"])
        expectEqual(
            driver.receive(#"{"type":"ping"}"#), [#"unknown a message of GraphQL with the unknown type "ping""#])
        expectEqual(driver.type("complete 1"), [#">{"id":"1","type":"stop"}"#, "notice complete 1"])
        expectEqual(driver.receive(#"{"id":"1","type":"complete"}"#), ["hidden complete"])
        expectEqual(
            driver.receive(#"{"type":"connection_error","payload":{"message":"no"}}"#),
            [
                #"refusal connection_error {"message":"no"}"#
            ])
        _ = driver.open("graphql-ws")
        expectEqual(
            driver.receive(#"{"type":"connection_error","payload":{"message":"no"}}"#),
            [
                #"failure the server refused the connection: "no""#
            ])
    }

    @Test("After a reconnect, subscriptions are renewed with their ids, and requests are forgotten")
    func reconnect() throws {
        let driver = try Self.ready()
        _ = driver.type("subscription { a }")
        _ = driver.type("{ a }")
        _ = driver.type("subscription { b }", wantsReply: true)
        expectEqual(driver.open("graphql-transport-ws"), [#">{"type":"connection_init"}"#])
        expectEqual(
            driver.receive(#"{"type":"connection_ack"}"#),
            [
                "hidden connection_ack", #">{"id":"1","type":"subscribe","payload":{"query":"subscription { a }"}}"#,
                #"renewed {"query":"subscription { a }"}"#, "ready",
            ])
        expectEqual(driver.type("{ a }").last, "key 4")
    }

    @Test("Close codes have a meaning")
    func closeCodes() throws {
        let session = try ProtocolDriver("graphql").session
        expectEqual(session.meaning(of: CloseCode(rawValue: 4403)), "forbidden: the server refuses the connection")
        expectNil(session.meaning(of: CloseCode(rawValue: 1000)))
    }

    @Test(
        "What is not a message is passed on with the reason",
        arguments: [
            ("", "not a message of GraphQL: a JSON object with a type"),
            ("[]", "not a message of GraphQL: a JSON object with a type"),
            (#"{"type":1}"#, "not a message of GraphQL: a JSON object with a type"),
            (#"{"type":"next","payload":{}}"#, "a message of GraphQL without the id of its operation"),
            (#"{"type":"\u001b"}"#, #"a message of GraphQL with the unknown type "\u{1B}""#),
        ])
    func malformed(text: String, reason: String) throws {
        try expectEqual(Self.ready().receive(text), ["unknown \(reason)"])
    }

    static let mistakesCases: [(String, String)] = [
        ("", "the document is missing; write a GraphQL document"), ("hello", "no selection in braces; write"),
        ("{ a", "the bracket at byte 1 is not closed"), ("{ a }}", "the bracket at byte 6 closes nothing"),
        ("{ a(b: 1} }", "the bracket at byte 9 closes nothing"), ("{ a(b: \"x) }", "the quote at byte 8"),
        ("{ a(b: \"\"\"x) }", "the quote at byte 8"), ("{ a(b: \"x\\", "the quote at byte 8"),
        ("{ a } {\"x\"", "the variables after the document are not a JSON object"),
        (#"{"a":1}"#, "the JSON object has no query"), ("complete", "write complete ID"),
        ("complete 99999999999999999999", "write complete ID"), ("complete 1 2", "write complete ID"),
    ]

    @Test("An error names the expected form", arguments: Self.mistakesCases)
    func mistakes(line: String, words: String) throws {
        let result = try Self.ready().type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }
}
