import LoadTest
import UserInterface
import WSCore

/// Serves the metrics of a run over HTTP, for Prometheus.
final class MetricsServer {
    private let page: MetricsPage
    private let server: Server<Nobody>

    /// Starts to listen.
    /// - Parameter address: `PORT` or `ADDRESS:PORT`; the default address is 127.0.0.1.
    /// - Throws: ``Failure``.
    init(on address: String, loop: EventLoop, diagnostics: Diagnostics) throws(Failure) {
        let page = MetricsPage()
        self.page = page
        let policy: ServerPolicy
        do throws(ServerPolicyError) {
            policy = try ServerPolicy(hasOriginOption: false)
        } catch {
            throw .badArgument(what: "--metrics", why: "\(error)")
        }
        var settings = Server<Nobody>.Settings(
            policy: policy,
            connection: .init(role: .server, limits: Limits(maximumMessageBytes: 1, maximumFragments: 1)),
            responder: page)
        settings.maximumConnections = 16
        server = Server(settings, on: loop) { _ in Nobody() }
        server.admission = .immediate { _ in
            HandshakeRefusal(status: 404, reason: "There are no WebSockets here; see /metrics.")
        }
        let place = try ListeningAddress.parse(address, what: "--metrics '\(escapingControls(address))'")
        do throws(IOError) {
            let bound = try server.listen(on: .tcp(place)) ?? place
            diagnostics.notice("Metrics at http://\(bound)\(MetricsPage.path)")
        } catch {
            throw .listening(address: "\(place)", error)
        }
    }

    /// Replaces the metrics.
    func update(_ live: borrowing LiveResults) {
        let text = OpenMetrics.text(of: live)
        page.text.withLock { $0 = Array(text.utf8) }
    }

    /// A client of a server that refuses WebSockets.
    private final class Nobody: ConnectionHandler {
        func connection(
            _ connection: Connection<Nobody>, received payload: RawSpan, as kind: MessageKind
        ) {}
        func connection(_ connection: Connection<Nobody>, didEnd end: ConnectionEnd) {}
    }
}

/// The page with the metrics.
private final class MetricsPage: WebResponder {
    static let path = "/metrics"
    let text = Mutex([UInt8]("# EOF\n".utf8))

    func response(to request: RequestHead, cache: SiteCache) -> WebResponse {
        guard request.path == Self.path else {
            return WebResponse(status: 404, fields: [], content: .bytes(Array("See /metrics.\n".utf8)))
        }
        let type = HeaderField(wellFormedName: "Content-Type", value: OpenMetrics.mediaType)
        return WebResponse(status: 200, fields: [type], content: .bytes(text.withLock { $0 }))
    }
}
