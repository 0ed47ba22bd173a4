import Conversation
import Testing

@testable import Connect
@testable import WSCore

@Suite struct ConnectStatisticsTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    private func opened(
        subprotocol: String? = nil, tls: TLSSummary? = nil, isCompressed: Bool = false
    ) throws -> Connector.Opened {
        let response = ResponseHead(status: 101, reason: "Switching Protocols", fields: HTTPFields())
        let extensions = isCompressed ? [ExtensionOffer(name: DeflateParameters.extensionName, parameters: [])] : []
        return Connector.Opened(
            stream: FakePeer(on: loop), request: try ClientRequest(url: try WebSocketURL(parsing: "wss://h/")),
            upgrade: ClientUpgrade(response: response, subprotocol: subprotocol, extensions: extensions), tls: tls,
            deflate: isCompressed ? DeflateParameters() : nil, firstBytes: [], peer: "192.0.2.1:443",
            duration: .milliseconds(1), phaseDurations: PhaseDurations())
    }

    @Test("the facts of a connection name its address, TLS session, compression, and traffic")
    func facts() throws {
        var statistics = ConnectStatistics()
        #expect(statistics.facts(at: .zero, .init(), without: SecretRecord()) == nil)
        let tls = TLSSummary(
            version: "TLS 1.3", cipher: "TLS_AES_256_GCM_SHA384", applicationProtocol: nil, isResumed: true,
            isVerified: true, peerCertificate: nil, clientCertificateWasRequested: false)
        statistics.connectionOpened(
            try opened(subprotocol: "chat", tls: tls, isCompressed: true), at: .seconds(10))
        statistics.measured(roundTrip: .milliseconds(2))
        let counters = ConnectStatistics.Counters(
            sent: Traffic(messages: 1, messageBytes: 100, wireBytes: 39), received: Traffic(), queuedBytes: 12)
        let facts = try #require(statistics.facts(at: .seconds(15), counters, without: SecretRecord()))
        #expect(
            facts.map { "\($0.name): \($0.value)" } == [
                "URL: wss://h/", "address: 192.0.2.1:443", "open for: 5 s", "HTTP: 1.1",
                "TLS: TLS 1.3, TLS_AES_256_GCM_SHA384, resumed", "subprotocol: chat",
                "compression: permessage-deflate; sent: 61 % saved, received: nothing saved",
                "sent: 1 message, 100 B, 39 B on the wire", "received: 0 messages, 0 B, 0 B on the wire",
                "queued: 12 B", "round trip: 2.00 ms",
            ])
    }

    @Test("only a pong with the payload of the user's latest ping measures a round trip (RFC 6455 §5.5.3)")
    func roundTrip() {
        var statistics = ConnectStatistics()
        let (first, second) = ([UInt8]("1".utf8), [UInt8]("2".utf8))
        statistics.pingSent(first.span.bytes, at: .seconds(1))
        statistics.pingSent(second.span.bytes, at: .seconds(2))
        let stale = statistics.pongReceived(first.span.bytes, at: .seconds(3))
        let answer = statistics.pongReceived(second.span.bytes, at: .seconds(4))
        let repeated = statistics.pongReceived(second.span.bytes, at: .seconds(5))
        #expect(stale == nil)
        #expect(answer == .seconds(2))
        #expect(repeated == nil)
    }

    @Test("a summary covers the connections since the previous summary")
    func summaries() throws {
        var statistics = ConnectStatistics()
        #expect(statistics.summary(at: .zero, isVerbose: false) == nil)
        let end = ConnectionEnd(closing: ClosingHandshake(), failure: .system(.connectionReset))
        let counters = ConnectStatistics.Counters(sent: Traffic(messages: 2, messageBytes: 10, wireBytes: 22))
        for _ in 1...2 {
            statistics.connectionOpened(try opened(), at: .zero)
            statistics.connectionEnded(end, counters)
        }
        let both = try #require(statistics.summary(at: .seconds(3), isVerbose: false))
        #expect(both.hasPrefix("Disconnected after 3 s, 2 connections: 4 sent, 0 received; "))
        statistics.beginAnew()
        #expect(statistics.summary(at: .seconds(4), isVerbose: false) == nil)
        statistics.connectionOpened(try opened(), at: .seconds(5))
        statistics.connectionEnded(end, counters)
        let last = try #require(statistics.summary(at: .seconds(6), isVerbose: false))
        #expect(last.hasPrefix("Disconnected after 1 s: 2 sent, 0 received; "))
    }
}
