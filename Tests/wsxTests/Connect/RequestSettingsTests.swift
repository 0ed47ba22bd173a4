import Conversation
import Formats
import Testing
import WSCore

@testable import Connect
@testable import UserInterface

/// The settings derived from the options for requests and replies.
@Suite struct RequestSettingsTests {
    @Test("The arguments become settings")
    func arguments() throws {
        #expect(try Self.settings { _ in } == .init())
        #expect(try Self.settings { $0.replies.sendsRequests = true } == .init(.order, isSequential: true))
        #expect(
            try Self.settings {
                $0.replies.correlation = Correlation("/a")
                $0.replies.replyTimeout = .seconds(1)
                $0.staying.reconnection = .always
            } == .init(.id(try #require(Correlation("/a"))), replyTimeout: .seconds(1), keepsLines: true))
        #expect(
            try Self.settings {
                $0.replies.calls = .automatic
                $0.replies.correlation = Correlation("id")
                $0.replies.sendsRequests = true
            } == .init(.calls(), isSequential: true))
    }

    @Test("Conflicting options are rejected")
    func conflicts() {
        #expect(throws: Failure.self) {
            try Self.settings {
                $0.replies.calls = .automatic
                $0.replies.correlation = Correlation("key")
            }
        }
        #expect(throws: Failure.self) {
            try Self.settings {
                $0.replies.sendsRequests = true
                $0.staying.heartbeatMessage = "x"
            }
        }
    }

    @Test("--one and --request with --protocol auto are errors, instead of waiting for replies that match no line")
    func detectedProtocol() {
        for (option, change) in [
            ("--one", { $0.ending.isOne = true }), ("--request", { $0.replies.sendsRequests = true }),
        ] as [(String, (inout ConnectArguments) -> Void)] {
            let failure = #expect(throws: Failure.self) {
                try Self.settings {
                    $0.protocols.choice = .automatic
                    change(&$0)
                }
            }
            #expect(failure?.message?.hasPrefix("\(option) with --protocol auto: replies belong to a protocol") == true)
        }
    }

    @Test(
        "Calls to browsers' DevTools have no version, nor do others on request",
        arguments: [
            (.automatic, "/", .standard), (.automatic, "/devtools/page/1", .devTools),
            (.standard, "/devtools/page/1", .standard), (.devtools, "/", .devTools), (.bidi, "/", .biDi),
            (.automatic, "/session/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e", .biDi),
        ] as [(JSONRPCForm, String, JSONRPCCall.Form)])
    func versions(form: JSONRPCForm, requestTarget: String, calls: JSONRPCCall.Form) throws {
        let settings = try Self.settings(at: requestTarget) { $0.replies.calls = form }
        #expect(settings.matching == .calls(calls))
    }

    private static func settings(
        at requestTarget: String = "/", _ change: (inout ConnectArguments) -> Void
    ) throws -> LineQueue.Settings {
        var arguments = ConnectArguments()
        change(&arguments)
        return try LineQueue.Settings.make(
            arguments, url: try WebSocketURL(parsing: "ws://h" + requestTarget), hasPrompt: false)
    }
}
