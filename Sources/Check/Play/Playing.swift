import Conformance
import UserInterface
import WSCore

/// Plays cases with a server, each on a connection of its own.
final class Playing {
    /// The result of a case and how long it took.
    struct Played {
        let item: Case
        let result: CaseResult
        let duration: Duration
        let resemblesEcho: Bool
        let otherMessageCount: Int
    }

    private let settings: CheckSettings
    private let connector: Connector.Settings
    private let resources: ConnectorResources
    private let loop: EventLoop
    /// What is known about the server.
    var peer = CasePlayer.Peer(role: .server, echoes: true)
    var limits: CaseConnection.Limits
    /// The connectors and connections of cases that are being played.
    private var connectors: [Int: Connector] = [:]
    private var count = 0

    init(
        _ settings: CheckSettings, _ connector: Connector.Settings, _ resources: ConnectorResources, on loop: EventLoop
    ) {
        self.settings = settings
        self.connector = connector
        self.resources = resources
        self.loop = loop
        limits = CaseConnection.Limits(
            idle: settings.arguments.caseTimeout ?? .seconds(5), pause: .milliseconds(200))
        if let readiness = settings.readiness {
            peer.isReady = { message in readiness.matches(message.span.bytes) }
        }
    }

    var mayUseTLS: Bool { connector.mayUseTLS }

    /// Plays a case.
    /// - Parameter completion: Receives the result, or the reason why there is no connection.
    func play(_ item: Case, completion: @escaping (Result<Played, ConnectError>) -> Void) {
        count += 1
        let number = count
        let startTime = loop.now
        let attempt = Connector(connector, resources: resources, on: loop) { [unowned self] result in
            connectors[number] = nil
            if case .failure(let error) = result { completion(.failure(error)) }
        }
        attempt.didConnect = { [unowned self, unowned attempt] stream, firstBytes in
            connectors[number] = nil
            let now = WallTime.now.seconds
            let request = attempt.request.withCookies(from: resources.cookies, at: now)
            let handshake = ClientHandshake(request: request, nonce: SecureRandom.bytes(16))
            guard let head = Head(handshake.requestBytes) else { preconditionFailure("our request is valid") }
            var peer = peer
            peer.firstMessages = settings.firstMessages()
            let scheme = settings.isHTTP2 ? attempt.request.url.isSecure ? "https" : "http" : nil
            let player = CasePlayer(item, with: peer, request: head, overHTTP2: scheme)
            _ = CaseConnection(player, on: stream, firstBytes: firstBytes, limits: limits) { [unowned self] result in
                completion(
                    .success(
                        Played(
                            item: item, result: result, duration: loop.now - startTime,
                            resemblesEcho: player.resemblesEcho, otherMessageCount: player.otherMessageCount)))
            }
        }
        connectors[number] = attempt
        attempt.start()
    }
}
