import Testing

@testable import UserInterface
@testable import WSCore

@Suite struct ReportedTimingsTests {
    private func opened(_ durations: PhaseDurations) throws -> Connector.Opened {
        let response = ResponseHead(status: 101, reason: "Switching Protocols", fields: HTTPFields())
        let request = try ClientRequest(url: try WebSocketURL(parsing: "ws://h/"))
        return Connector.Opened(
            stream: FakePeer(on: try EventLoop()), request: request,
            upgrade: ClientUpgrade(response: response, subprotocol: nil, extensions: []), tls: nil, deflate: nil,
            firstBytes: [], peer: "192.0.2.1:80", duration: .microseconds(9500), phaseDurations: durations)
    }

    @Test("The phases that occurred are shown in order, then the total")
    func phases() throws {
        var durations = PhaseDurations()
        durations[.upgrading] = .milliseconds(2)
        durations[.resolving] = .microseconds(1204)
        let partial = try opened(durations)
        #expect(ReportedTimings.line(partial) == "Timings: lookup 1.204 ms, upgrade 2.000 ms, total 9.500 ms")
        #expect(
            text(of: ReportedTimings.json(partial).text) == #"{"lookup_us":1204,"upgrade_us":2000,"total_us":9500}"#)
        for phase in ConnectError.Phase.allCases { durations[phase] = .milliseconds(1) }
        let whole = try opened(durations)
        #expect(
            text(of: ReportedTimings.json(whole).text)
                == #"{"lookup_us":1000,"connect_us":1000,"proxy_us":1000,"tls_us":1000,"upgrade_us":1000,"#
                + #""total_us":9500}"#)
    }
}
