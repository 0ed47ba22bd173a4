import Testing
import WSCore

@testable import wsx

@Suite struct EmbeddedEchoTests {
    @Test("The server of echo: listens on a loopback port")
    func address() throws {
        try withIdleLoop { loop in
            let console = try ReadableConsole()
            let first = try EmbeddedEcho(for: try request(), on: loop, console: console.console)
            let second = try EmbeddedEcho(for: try request(), on: loop, console: console.console)
            defer { for server in [first, second] { server.stop() } }
            guard case .tcp("127.0.0.1", let port) = try first.start(), case .tcp(_, let other) = try second.start()
            else {
                Issue.record("echo: does not listen on 127.0.0.1")
                return
            }
            #expect(port != 0 && other != port)
            #expect(console.take() == [])
        }
    }

    @Test("The server accepts the requested subprotocols, without duplicates")
    func subprotocols() throws {
        try withIdleLoop { loop in
            let console = try ReadableConsole().console
            _ = try EmbeddedEcho(
                for: try request { $0.client.request.subprotocols = ["chat", "b"] }, on: loop, console: console)
        }
    }

    private func request(_ change: (inout ConnectArguments) -> Void = { _ in }) throws -> ClientRequest {
        var arguments = ConnectArguments()
        arguments.client.url = "echo:"
        change(&arguments)
        return try ConnectSettings(arguments).connector.request
    }
}
