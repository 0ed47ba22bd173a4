import Testing
import WSCore

@testable import Connect
@testable import Peer
@testable import UserInterface

@Suite struct EmbeddedEchoTests {
    @Test("Each server of echo: listens on a socket of its own, without a file or a port")
    func address() throws {
        try withIdleLoop { loop in
            let diagnostics = try ReadableDiagnostics()
            let servers = (0..<2).map { _ in EmbeddedEcho(on: loop, diagnostics: diagnostics.diagnostics) }
            defer { for server in servers { server.stop() } }
            let settings = try settings()
            let paths = try servers.map { server in
                guard case .unix(let path) = try server.resolving(settings.connector, for: settings.url).destination
                else { return "" }
                return path
            }
            #expect(Set(paths).count == 2 && paths.allSatisfy { $0.hasPrefix("@wsx-echo-") })
            #expect(diagnostics.take() == [])
        }
    }

    @Test("The server accepts the requested subprotocols, without duplicates")
    func subprotocols() throws {
        try withIdleLoop { loop in
            let server = EmbeddedEcho(on: loop, diagnostics: try ReadableDiagnostics().diagnostics)
            defer { server.stop() }
            let settings = try settings { $0.client.request.subprotocols = ["chat", "b"] }
            _ = try server.resolving(settings.connector, for: settings.url)
        }
    }

    private func settings(_ change: (inout ConnectArguments) -> Void = { _ in }) throws -> ConnectSettings {
        var arguments = ConnectArguments()
        arguments.client.url = "echo:"
        change(&arguments)
        return try ConnectSettings(arguments)
    }
}
