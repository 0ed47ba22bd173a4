import Glibc
import WSCore

/// The client that the fuzzing server of the Autobahn TestSuite tests.
///
///      AutobahnClient [--http2] ws://127.0.0.1:9001 AGENT
///
/// It runs all of the server's cases, with one connection each, and makes the server write its reports, which contain
/// the results. The exit status is 1 only if the server could not be reached.
@main
struct AutobahnClient {
    private let loop: EventLoop
    private let server: String
    private let version: HTTPVersion
    private let resources: ConnectionResources

    static func main() {
        StandardDescriptors.prepare()
        var arguments = CommandLine.arguments
        let isHTTP2 = arguments.dropFirst().first == "--http2"
        if isHTTP2 { arguments.remove(at: 1) }
        guard arguments.count == 3 else { fail("usage: AutobahnClient [--http2] URL AGENT") }
        do {
            let loop = try EventLoop()
            let client = AutobahnClient(
                loop: loop, server: arguments[1], version: isHTTP2 ? .http2 : .http1,
                resources: ConnectionResources(on: loop))
            try client.runCases(as: arguments[2])
        } catch {
            fail("\(error)")
        }
    }

    private func runCases(as agent: String) throws {
        let answer = try visit("/getCaseCount", echoes: false).answer
        guard let count = Int(String(decoding: answer, as: UTF8.self)) else { Self.fail("no count of cases came") }
        for number in 0..<count {
            try visit("/runCase?case=\(number + 1)&agent=\(agent)", echoes: true)
        }
        try visit("/updateReports?agent=\(agent)", echoes: false)
    }

    /// Connects like `wsx connect`, and returns after the connection has ended.
    @discardableResult
    private func visit(_ target: String, echoes: Bool) throws -> EchoHandler {
        let url = try WebSocketURL(parsing: server + target)
        let request = try ClientRequest(
            url: url, extensionOffers: ClientSettings.extensionOffers, version: version)
        let handler = EchoHandler(echoes: echoes)
        var failure: ConnectError?
        var settings = Connector.Settings(request: request)
        settings.timeouts.whole = ClientSettings.connectTimeout
        let connector = Connector(settings, resources: try ConnectorResources(), on: loop) { result in
            switch result {
            case .success(let opened):
                Connection(
                    opened.stream, settings: ClientSettings.connection, deflate: opened.deflate, resources: resources,
                    handler: handler
                ).start(with: opened.firstBytes)
            case .failure(let error): failure = error
            }
        }
        connector.start()
        // The loop returns when nothing is pending, so the connection has ended.
        loop.run()
        if let failure { throw failure }
        guard handler.end != nil else { Self.fail("\(url): the connection was forgotten") }
        return handler
    }

    private static func fail(_ message: String) -> Never {
        StandardDescriptors.writeAll("AutobahnClient: \(message)\n", to: StandardDescriptors.error)
        exit(1)
    }
}
