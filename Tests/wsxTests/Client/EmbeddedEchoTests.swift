import Testing
import WSCore

@testable import Connect
@testable import Peer
@testable import UserInterface

@Suite struct EmbeddedEchoTests {
    @Test("Each server of echo: listens on a socket of its own, without a file or a port")
    func address() throws {
        try withIdleLoop { loop in
            let console = try ReadableConsole()
            let servers = try (0..<2).map { _ in
                try EmbeddedEcho(for: try request(), on: loop, console: console.console)
            }
            defer { for server in servers { server.stop() } }
            let paths = try servers.map { server in
                guard case .unix(let path) = try server.start() else { return "" }
                return path
            }
            #expect(Set(paths).count == 2 && paths.allSatisfy { $0.hasPrefix("@wsx-echo-") })
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
