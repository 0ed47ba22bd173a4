import Testing
import WSCore

@testable import Connect

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

    @Test("A long URL is shortened, so the line fits into the window", arguments: [0, 1, 20, 29, 48, 59, 79])
    func width(columns: Int) {
        let long = line(url: "wss://example.org/" + String(repeating: "path/", count: 30), columns: columns)
        #expect(long.count <= columns)
        if columns == 79 { #expect(long.hasPrefix("Connecting to wss://example.org/") && long.contains("…: ")) }
    }

    @Test("Down to 30 columns, the line has the target and how to cancel")
    func narrow() {
        let url = "wss://example.org/" + String(repeating: "path/", count: 30)
        #expect(line(url: url, columns: 59) == "example.org/path/path…: TLS handshake, 3 s (Ctrl-C cancels)")
        #expect(line(url: url, columns: 39) == "example.org/path…: 3 s (Ctrl-C cancels)")
        #expect(line(.upgrading, url: url, elapsed: .seconds(100), columns: 29) == "exam…: 100 s (Ctrl-C cancels)")
        #expect(line(url: "wss://h/", columns: 29) == "h/: 3 s (Ctrl-C cancels)")
        #expect(line(url: url, columns: 20) == "3 s (Ctrl-C cancels)")
    }

    @Test("A URL that fits exactly is not shortened")
    func exactFit() {
        let url = "wss://example.org/path"
        let whole = line(url: url)
        #expect(line(url: url, columns: whole.count) == whole)
        #expect(
            line(url: url, columns: whole.count - 1)
                == "Connecting to wss://example.org/pa…: TLS handshake, 3 s (Ctrl-C cancels)")
    }
}
