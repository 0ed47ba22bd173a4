import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct JSONRPCTests {
    private static func ready(_ name: String = "json-rpc") throws -> ProtocolDriver {
        let driver = try ProtocolDriver(name)
        expectEqual(driver.open(), ["ready"])
        return driver
    }

    @Test("Typed lines are calls with consecutive ids")
    func calls() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.type("sum 1 2.50"), [#">{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2.50]}"#, "key 1"])
        expectEqual(driver.type("m a=b").last, "key 2")
        expectEqual(driver.type(#"{"id": 7, "method": "m"}"#), [#">{"id": 7, "method": "m"}"#, "key 7"])
        expectEqual(driver.type("m").last, "key 8")
        expectEqual(driver.type(#"{"id":"x","method":"m"}"#).last, #"key "x""#)
        expectEqual(driver.type(#"[{"method":"n"},{"id":20,"method":"m"}]"#).last, "key 20")
        expectEqual(driver.type(#"{"method":"n"}"#), [#">{"method":"n"}"#])
        let misspelt = driver.type(#"{"ID":1,"method":"m"}"#, wantsReply: true)
        #expect(misspelt[0].hasPrefix("error it has no 'id' to match its reply; rename 'ID'"))
        #expect(driver.type(#"{"x":1}"#, wantsReply: true)[0].hasPrefix("error it is neither a JSON-RPC call"))
        expectEqual(driver.type(#"{"x":1}"#), [#">{"x":1}"#])
    }

    @Test("DevTools commands have no version")
    func devTools() throws {
        let driver = try Self.ready("devtools")
        expectEqual(
            driver.type("Page.navigate url=http://h/"),
            [
                #">{"id":1,"method":"Page.navigate","params":{"url":"http://h/"}}"#, "key 1",
            ])
        expectEqual(
            driver.receive(#"{"method":"Page.loadEventFired","params":{"timestamp":1.0},"sessionId":"S"}"#),
            [
                #"event Page.loadEventFired {"timestamp":1.0}"#
            ])
        expectEqual(driver.lastEvent?.id, "S")
    }

    static let messagesCases: [(String, String)] = [
        (#"{"jsonrpc":"2.0","id":1,"result":{"a": 1.0}}"#, #"reply 1 {"a":1.0}"#),
        (#"{"id":"x","result":null}"#, #"reply "x" null"#),
        (#"{"id":1,"error":{"code":-32601,"message":"no"}}"#, #"refused 1 {"code":-32601,"message":"no"}"#),
        (#"{"id":1,"error":null,"result":2}"#, "reply 1 2"),
        (#"{"id":1,"error":"no","result":null}"#, #"refused 1 "no""#),
        (#"{"id":null,"error":{"code":-32700}}"#, #"refused ? error {"code":-32700}"#),
        // The value counts, not its text.
        (#"{"id":1.0,"result":2}"#, "reply 1 2"), (#"{"id":"\u0031","result":2}"#, #"reply "1" 2"#),
        (#"{"error":{"code":-32700}}"#, #"refused ? error {"code":-32700}"#),
        (#"{"method":"n","params":[1]}"#, "event n [1]"), (#"{"method":"n"}"#, "event n"),
        (
            #"{"method":"eth_subscription","params":{"subscription":"0x9","result":1}}"#,
            #"event eth_subscription {"subscription":"0x9","result":1}"#
        ),
    ]

    @Test("Replies, errors, and notifications are separate (§4.1, §5)", arguments: Self.messagesCases)
    func messages(text: String, event: String) throws {
        try expectEqual(Self.ready().receive(text), [event])
        try expectEqual(Self.ready().receive(binary: Array(text.utf8)), [event])
    }

    @Test("The replies of a batch are separate (§6)")
    func batches() throws {
        try expectEqual(
            Self.ready().receive(#"[{"id":2,"result":1},{"id":1,"error":{}},{"method":"n"}]"#),
            [
                "reply 2 1", "refused 1 {}", "event n",
            ])
    }

    @Test("The last of the replies to a batch answers it, also if they arrive one by one (§6)")
    func repliesToBatch() throws {
        let driver = try Self.ready()
        expectEqual(driver.type(#"[{"id":1,"method":"a"},{"id":2,"method":"b"},{"method":"n"}]"#).last, "key 1")
        expectEqual(driver.receive(#"{"id":1,"result":1}"#), ["reply 1 of 1 1"])
        expectEqual(driver.receive(#"{"id":2,"result":2}"#), ["reply 1 2"])
        expectEqual(driver.receive(#"{"id":2,"result":2}"#), ["reply 2 2"])
    }

    @Test("A notification has the id of its subscription, and a call by the server its own")
    func ids() throws {
        let driver = try Self.ready()
        _ = driver.receive(#"{"method":"eth_subscription","params":{"subscription":"0x9"}}"#)
        expectEqual(driver.lastEvent?.id, "0x9")
        _ = driver.receive(#"{"id":3,"method":"ask"}"#)
        expectEqual(driver.lastEvent?.id, "3")
    }

    @Test(
        "What is not a message is passed on with the reason",
        arguments: ["", "[]", "1", "{}", #"{"id":1}"#, #"{"result":1}"#])
    func malformed(text: String) throws {
        try expectEqual(
            Self.ready().receive(text),
            [
                "unknown not a message of JSON-RPC: an object with a method, or an id and a result"
            ])
    }

    @Test("A batch with anything else is passed on behind its messages; so is binary data that is no text")
    func malformedBatch() throws {
        let driver = try Self.ready()
        expectEqual(
            driver.receive(#"[{"id":1,"result":1},2,{},{"method":"m"}]"#),
            [
                "reply 1 1", "event m", "unknown a batch with an element that is not a message of JSON-RPC",
            ])
        expectEqual(driver.receive(binary: [0xFF]), ["unknown binary data that is not JSON"])
    }

    @Test(
        "An error names the expected form",
        arguments: [
            ("", "the method is missing; write METHOD [ARGUMENT...], as in: eth_getBalance"),
            ("{broken", "must be a JSON-RPC call, as in: {"), ("m [1", "the bracket at byte 3 is not closed"),
        ])
    func mistakes(line: String, words: String) throws {
        let result = try Self.ready().type(line)
        #expect(result.count == 1 && result[0].hasPrefix("error ") && result[0].contains(words), "\(result)")
    }
}
