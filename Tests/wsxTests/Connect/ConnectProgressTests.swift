import Testing
import WSCore

@testable import wsx

@Suite struct ConnectProgressTests {
    private func line(
        _ phase: ConnectError.Phase = .securing, url: String = "wss://h/", elapsed: Duration = .seconds(3),
        columns: Int = 80
    ) -> String {
        ConnectProgress.line(url: url, phase: phase, elapsed: elapsed, columns: columns)
    }

    @Test("The line has the target, the step, the elapsed time, and how to cancel")
    func contents() {
        #expect(line() == "Connecting to wss://h/: TLS handshake, 3 s (Ctrl-C cancels)")
        #expect(
            line(.resolving, elapsed: .milliseconds(1002))
                == "Connecting to wss://h/: name lookup, 1 s (Ctrl-C cancels)")
        #expect(
            line(.upgrading, elapsed: .milliseconds(1998))
                == "Connecting to wss://h/: WebSocket handshake, 2 s (Ctrl-C cancels)")
    }

    @Test("Every step has its own words")
    func steps() {
        #expect(Set(ConnectError.Phase.allCases.map { line($0) }).count == ConnectError.Phase.allCases.count)
    }

    @Test("A long URL is shortened, so the line fits into the window", arguments: [0, 1, 20, 48, 60, 79])
    func width(columns: Int) {
        let long = line(url: "wss://example.org/" + String(repeating: "path/", count: 30), columns: columns)
        #expect(long.count == min(columns, max(columns, 0)))
        if columns == 79 { #expect(long.hasSuffix("…: TLS handshake, 3 s (Ctrl-C cancels)")) }
    }

    @Test("A URL that fits exactly is not shortened")
    func exactFit() {
        let whole = line()
        #expect(line(columns: whole.count) == whole)
        #expect(line(columns: whole.count - 1) == "Connecting to wss://…: TLS handshake, 3 s (Ctrl-C cancels)")
    }
}
