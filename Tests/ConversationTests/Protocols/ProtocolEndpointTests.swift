import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ProtocolEndpointTests {
    static let targetsCases: [(String, String, String)] = [
        ("socket.io", "/", "/socket.io/?EIO=4&transport=websocket"),
        ("socket.io", "", "/socket.io/?EIO=4&transport=websocket"),
        ("socket.io", "/chat/?EIO=3", "/chat/?EIO=3&transport=websocket"),
        ("phoenix", "/", "/socket/websocket?vsn=2.0.0"), ("phoenix", "/live", "/live/websocket?vsn=2.0.0"),
        ("phoenix", "/live/websocket?t=1&x", "/live/websocket?t=1&x&vsn=2.0.0"),
        ("phoenix", "/live/", "/live/websocket?vsn=2.0.0"), ("actioncable", "/?a=?", "/cable?a=?"),
        ("graphql", "/graphql", "/graphql"), ("signalr", "/chat?x=1", "/chat?x=1"),
    ]

    @Test("The URL is completed with the path and query of the protocol", arguments: Self.targetsCases)
    func targets(name: String, target: String, completed: String) throws {
        let found = try #require(ApplicationProtocol(named: name))
        expectEqual(found.endpoint.requestTarget(completing: target), completed)
        expectEqual(found.endpoint.requestTarget(completing: completed), completed)
    }

    @Test("The negotiate request has its own path")
    func negotiation() throws {
        let negotiation = try #require(ApplicationProtocol(named: "signalr")?.endpoint.negotiation)
        expectEqual(negotiation.requestTarget(for: "/chat"), "/chat/negotiate?negotiateVersion=1")
        expectEqual(negotiation.requestTarget(for: "/?a=1"), "/negotiate?a=1&negotiateVersion=1")
    }

    @Test(
        "The subprotocol or the URL identifies the protocol",
        arguments: [
            ("/", "graphql-ws", "graphql"), ("/", "graphql-transport-ws", "graphql"),
            ("/", "actioncable-v1-json", "actioncable"), ("/devtools/page/1", nil, "devtools"),
            ("/s/?transport=websocket&EIO=4", nil, "socket.io"), ("/s/websocket?vsn=2.0.0", nil, "phoenix"),
            ("/", "chat", nil), ("/socket.io/", nil, nil),
            // The inspectors of Node and Deno.
            ("/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e", nil, "devtools"),
            ("/ws/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e", nil, "devtools"),
            ("/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55", nil, nil), ("/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55g", nil, nil),
        ] as [(String, String?, String?)])
    func detection(target: String, subprotocol: String?, name: String?) throws {
        let url = try WebSocketURL(parsing: "ws://127.0.0.1:9229" + target)
        expectEqual(ApplicationProtocol.detected(url: url, subprotocol: subprotocol)?.name, name)
    }

    @Test(
        "The URLs of WebDriver BiDi have the path of a session",
        arguments: [
            ("ws://127.0.0.1:9222/session", true), ("ws://grid.example/session", false),
            ("wss://grid.example/session/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e/se/bidi?x", true),
            ("ws://127.0.0.1/session/7", false), ("ws://127.0.0.1/sessions", false),
        ])
    func biDi(url: String, isBiDi: Bool) throws {
        expectEqual(ApplicationProtocol.isBiDi(try WebSocketURL(parsing: url)), isBiDi)
    }

    @Test("A URL may ask for another version of a protocol that is spoken, and for no others")
    func versions() throws {
        let asked = { ApplicationProtocol.Endpoint.undetected.unspokenParameter(in: $0)?.asked }
        expectNil(asked("/?EIO=3&transport=websocket"))
        expectEqual(asked("/?EIO=2&transport=websocket"), "EIO=2")
        let url = try WebSocketURL(parsing: "ws://h/?transport=websocket&EIO=3")
        expectEqual(ApplicationProtocol.detected(url: url, subprotocol: nil)?.endpoint.query.first?.value, "3")
    }

    @Test("A UUID as the path of another machine is no inspector, but may be the key of a service")
    func remoteUUID() throws {
        let url = try WebSocketURL(parsing: "wss://rpc.example/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e")
        expectNil(ApplicationProtocol.detected(url: url, subprotocol: nil))
    }

    @Test(
        "The first message identifies the protocol",
        arguments: [
            (#"0{"sid":"a","pingInterval":1}"#, "socket.io"), (#"{"type":"welcome"}"#, "actioncable"),
            (#"{"jsonrpc":"2.0","method":"n"}"#, "json-rpc"), ("0", nil), ("", nil), ("{}", nil), ("hello", nil),
        ] as [(String, String?)])
    func firstMessage(text: String, name: String?) {
        let bytes = Array(text.utf8)
        expectEqual(ApplicationProtocol.detected(firstMessage: bytes.span.bytes, as: .text)?.name, name)
        expectNil(ApplicationProtocol.detected(firstMessage: bytes.span.bytes, as: .binary)?.name)
    }
}
