import CommandLine
import Testing

@testable import Connect
@testable import UserInterface
@testable import wsx

/// Connections as curl commands.
@Suite struct CurlTextTests {
    /// The command for words after `wsx connect`, without the key.
    private func command(
        _ words: [String], showsSecrets: Bool = true, variables: [String: String] = ["TOKEN": "geheim9"]
    ) throws -> (lines: [String], notices: [String]) {
        guard case .connect(let arguments) = try Invocation.program.parse(["connect"] + words) else { return ([], []) }
        let secrets = Secrets(environment: { variables[$0] })
        let command = try ConnectSettings(arguments, secrets: secrets).curlCommand(showsSecrets: showsSecrets)
        #expect(command.text.hasSuffix("\n"))
        let lines = command.text.split(separator: "\n").map { line in
            String(line.hasSuffix(" \\") ? line.dropLast(2) : line).trimmingPrefix("  ")
        }
        #expect(lines.filter { $0.hasPrefix("-H 'Sec-WebSocket-Key: ") }.count == 1)
        return (lines.filter { !$0.hasPrefix("-H 'Sec-WebSocket-Key: ") }.map(String.init), command.notices)
    }

    private static let handshake = [
        "-H 'Upgrade: websocket'", "-H 'Connection: Upgrade'", "-H 'Sec-WebSocket-Version: 13'",
    ]
    private static let end = ["-H 'User-Agent: wsx/\(version)'", "-H Accept:"]

    @Test("The command has the fields of the handshake, and removes those that curl would add") func fields() throws {
        let (lines, notices) = try command([
            "wss://a.example/x?y=1", "--compress=off", "-H", "X: it's", "-H", "Empty:", "-b", "a=1", "-s", "v1,v2",
            "--origin", "https://b.example",
        ])
        #expect(
            lines == ["curl -i -N --http1.1 'https://a.example/x?y=1'"] + Self.handshake + [
                "-H 'Origin: https://b.example'", "-H 'Sec-WebSocket-Protocol: v1, v2'",
                "-H 'User-Agent: wsx/\(version)'", #"-H 'X: it'\''s'"#, "-H 'Empty;'", "-H 'Cookie: a=1'", "-H Accept:",
            ])
        #expect(notices == [])
    }

    @Test(
        "Options for the way to the server become those of curl",
        arguments: [
            (
                ["-4", "--resolve", "a:80:127.0.0.1", "--source-ip", "127.0.0.1"],
                [
                    "-4", "--resolve a:80:127.0.0.1", "--interface 127.0.0.1",
                ]
            ),
            (["--unix-socket", "/run/a b.sock"], ["--unix-socket '/run/a b.sock'"]),
            (["--unix-socket", "@name"], ["--abstract-unix-socket name"]),
            (["-L"], ["-L", "--max-redirs 20"]),
            (["--location-trusted", "--max-redirects", "3"], ["--location-trusted", "--max-redirs 3"]),
            (
                ["--proxy", "socks5h://me:pw@p:1", "--no-proxy", "b"],
                [
                    "-x socks5h://me:pw@p:1", "--proxytunnel", "--noproxy b",
                ]
            ),
            (["-k", "--pin", pin, "--tls-min", "1.3"], ["-k", "--pinnedpubkey \(pin)", "--tlsv1.3"]),
            (["--digest", "-a", "me:p w"], ["--digest", "-u 'me:p w'"]),
        ])
    func network(words: [String], expected: [String]) throws {
        let (lines, _) = try command(["ws://a/", "--compress=off"] + words)
        #expect(lines == ["curl -i -N --http1.1 http://a/"] + expected + Self.handshake + Self.end)
    }

    private static let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("Secrets are dots unless they are asked for, and a notice says so") func secrets() throws {
        let words = [
            "wss://a/?token=geheim1", "-a", "me:geheim2", "-b", "id=geheim3", "-H", "X-Api-Key: geheim4", "--proxy",
            "http://me:geheim5@p:1", "-s", "access_token, geheim6", "-H", "X: geheim4",
        ]
        for words in [words, words + ["--digest"], ["ws://a/", "--bearer", "env:TOKEN"]] {
            let (lines, notices) = try command(words, showsSecrets: false)
            #expect(!lines.joined().contains("geheim") && !lines.joined().contains("bWU6Z2VoZWlt"), "\(lines)")
            #expect(lines.contains { $0.contains("•••") } && notices.count == 1)
            let (shown, others) = try command(words)
            #expect(!shown.joined().contains("•••") && shown.joined().contains("geheim") && others == [])
        }
    }

    @Test("A proxy of the environment is named") func proxyVariable() throws {
        let variables = ["ws_proxy": "http://me:geheim@p:1", "no_proxy": "b"]
        #expect(
            try command(["ws://a/"], variables: variables).lines[1...2] == ["-x http://me:geheim@p:1", "--proxytunnel"])
        #expect(try command(["ws://a/"], showsSecrets: false, variables: variables).lines[1] == "-x 'http://•••@p:1'")
        #expect(try !command(["ws://b/"], variables: variables).lines.contains("--proxytunnel"))
        #expect(try !command(["--unix-socket", "s", "ws://a/"], variables: variables).lines.contains("--proxytunnel"))
    }

    @Test("A value that could control a terminal is quoted with escapes, and its bytes stay the same") func quoting()
        throws
    {
        let (lines, _) = try command([
            "ws://a/", "--compress=off", "--cookie-jar", "jar", "-H", "X: \u{9B}2J'\\é\u{202E}",
        ])
        #expect(lines.contains(#"-H $'X: \302\2332J\'\\\303\251\342\200\256'"#))
    }

    @Test("What has no counterpart is named") func notices() throws {
        #expect(
            try command(["wss://a/", "--tls-server-name", "b"]).notices == [
                "curl has no counterpart of --tls-server-name"
            ])
        #expect(try command(["wss://a/hub", "--protocol", "signalr"]).notices.count == 1)
        #expect(throws: Failure.self) { try command(["echo:"]) }
    }

    @Test(
        "wsx curl reads the command as the same connection",
        arguments: [
            [], ["--compress=off"], ["--compress-window-bits", "10"], ["--compress-no-context"],
            ["-a", "me:pw", "-b", "a=1", "-H", "X: '\"$`\\ !"], ["-H", "Host: b", "-H", "E:", "--user-agent", ""],
            ["-s", "a,b", "--bearer", "t", "-L", "-4", "--origin", "null"],
        ])
    func roundTrip(words: [String]) throws {
        func request(_ words: [String]) throws -> [String] {
            guard case .connect(let arguments) = try Invocation.program.parse(words) else { return [] }
            let request = try ConnectSettings(arguments).connector.request
            return ["\(request.url)"] + request.fields.map { "\($0.name): \($0.value)" }
        }
        guard case .connect(let arguments) = try Invocation.program.parse(["connect", "ws://a/b"] + words) else {
            return
        }
        let text = try ConnectSettings(arguments).curlCommand(showsSecrets: true).text
        let line = text.split(separator: "\n").joined(separator: "\n")
        let curl = CurlCommandTests.shellWords(line.replacing(" \\\n", with: " "))
        #expect(try request(curl) == request(["connect", "ws://a/b"] + words), "\(text)")
    }
}
