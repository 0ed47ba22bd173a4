import CommandLine
import Testing

@testable import Connect
@testable import UserInterface
@testable import wsx

/// curl commands as words of `wsx connect`. The host names, cookies, and tokens are invented.
@Suite struct CurlCommandTests {
    /// A command line of curl, and the words that mean the same after `wsx connect`.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let line: String
        let words: [String]
        var ignored: [String] = []

        var testDescription: String { name }
    }

    static let chromium = #"""
        curl 'wss://chat.example/socket?room=1' \
          -H 'Upgrade: websocket' \
          -H 'Origin: https://app.example' \
          -H 'Cache-Control: no-cache' \
          -H 'Accept-Language: en-US,en;q=0.9' \
          -H 'Pragma: no-cache' \
          -H 'Connection: Upgrade' \
          -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
          -b 'session=a1b2c3; theme=dark' \
          -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)' \
          -H 'Sec-WebSocket-Version: 13' \
          -H 'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits'
        """#

    static let firefox = #"""
        curl 'wss://chat.example/socket' \
          --compressed \
          -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' \
          -H 'Accept: */*' \
          -H 'Accept-Language: en-US,en;q=0.5' \
          -H 'Accept-Encoding: gzip, deflate, br, zstd' \
          -H 'Sec-WebSocket-Version: 13' \
          -H 'Origin: https://app.example' \
          -H 'Sec-WebSocket-Protocol: graphql-transport-ws, graphql-ws' \
          -H 'Sec-WebSocket-Extensions: permessage-deflate' \
          -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
          -H 'Connection: keep-alive, Upgrade' \
          -H 'Cookie: session=a1b2c3' \
          -H 'Sec-Fetch-Dest: empty' \
          -H 'Upgrade: websocket'
        """#

    static let browsers = [
        Case(
            name: "Omitted fields",
            line: "curl wss://a.example/ -u a:b -b c=1 -e r -H Authorization: -H Cookie: -H Referer:",
            words: ["wss://a.example/"]),
        Case(
            name: "A field replaces an option", line: "curl wss://a.example/ -b c=1 -H Cookie:d=2",
            words: ["wss://a.example/", "-H", "Cookie: d=2"]),
        Case(
            name: "Chromium, bash", line: chromium,
            words: [
                "wss://chat.example/socket?room=1", "--compress", "--user-agent", "Mozilla/5.0 (X11; Linux x86_64)",
                "--origin", "https://app.example", "-H", "Cache-Control: no-cache", "-H",
                "Accept-Language: en-US,en;q=0.9", "-H", "Pragma: no-cache", "-H",
                "Cookie: session=a1b2c3; theme=dark",
            ]),
        Case(
            name: "Firefox, bash", line: firefox,
            words: [
                "wss://chat.example/socket", "--compress", "--user-agent",
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "-H", "Accept: */*", "-H",
                "Accept-Language: en-US,en;q=0.5", "-H", "Accept-Encoding: gzip, deflate, br, zstd", "-s",
                "graphql-transport-ws, graphql-ws", "--origin", "https://app.example", "-H", "Sec-Fetch-Dest: empty",
                "-H", "Cookie: session=a1b2c3",
            ]),
        Case(
            name: "Chromium without TLS",
            line: "curl 'ws://localhost:8080/' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' --insecure",
            words: ["ws://localhost:8080/", "--compress=off"]),
        Case(
            name: "Chromium with an invalid certificate, an exclamation mark, and an escaped brace",
            line: #"curl 'wss://chat.example/?q=\{a\}' -H $'X-Text: it\'s here\u0021' -H 'X-Empty;' --insecure"#,
            words: ["wss://chat.example/?q={a}", "-H", "X-Text: it's here!", "-H", "X-Empty: ", "-k"]),
        Case(
            name: "Safari",
            line: "curl 'wss://chat.example/' -X 'GET' -H 'Sec-WebSocket-Version: 13' -H 'Origin: https://app.example'",
            words: ["wss://chat.example/", "--compress=off", "--origin", "https://app.example"]),
    ]

    static let tools = [
        Case(
            name: "Postman",
            line: "curl --location 'wss://api.example/live?token=t' --header 'X-Team: search' --header 'Cookie: a=1'",
            words: ["wss://api.example/live?token=t", "-L", "-H", "X-Team: search", "-H", "Cookie: a=1"]),
        Case(
            name: "Insomnia",
            line: "curl --request GET --url https://api.example/live --header 'User-Agent: insomnia/10.0.0'",
            words: ["wss://api.example/live", "--user-agent", "insomnia/10.0.0"]),
        Case(
            name: "a handshake by hand",
            line: """
                curl -i -N --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
                -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' -H 'Host: chat.example' https://chat.example/path
                """,
            words: ["wss://chat.example/path", "--compress=off"], ignored: ["-i", "-N"]),
        Case(
            name: "curl as a WebSocket client", line: "curl -T . -N wss://chat.example/",
            words: ["wss://chat.example/"], ignored: ["-N"]),
        Case(
            name: "another Host", line: "curl -H 'Host: staging.example' http://127.0.0.1:8080/",
            words: ["ws://127.0.0.1:8080/", "--host", "staging.example"]),
    ]

    private static let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    static let options = [
        Case(name: "no scheme", line: "curl localhost:8080/x#part", words: ["ws://localhost:8080/x"]),
        Case(
            name: "groups and values in one word", line: "curl -sSkLv -HX:1 -uuser:pw -m5 wss://a.example/",
            words: [
                "wss://a.example/", "--quiet", "-L", "-v", "--auth", "user:pw", "--timeout", "5s", "-k", "-H", "X: 1",
            ]),
        Case(
            name: "certificates",
            line:
                #"curl --cacert ca.pem -E 'a\:b.pem:geheim' --key k.pem --tlsv1.3 wss://a.example --pinnedpubkey "#
                + pin,
            words: [
                "wss://a.example", "--ca", "ca.pem", "--cert", "a:b.pem", "--passphrase", "geheim", "--key", "k.pem",
                "--tls-min", "1.3", "--pin", pin,
            ]),
        Case(
            name: "a proxy with a login", line: "curl -x proxy.example:3128 -U 'me:p@ss' --proxy-digest ws://a.example",
            words: ["ws://a.example", "--proxy-digest", "--proxy", "http://me:p%40ss@proxy.example:3128"]),
        Case(
            name: "SOCKS", line: "curl --socks5-hostname localhost:1080 --noproxy b.example ws://a.example",
            words: ["ws://a.example", "--no-proxy", "b.example", "--proxy", "socks5h://localhost:1080"]),
        Case(
            name: "network",
            line: "curl -4 --resolve a.example:80:127.0.0.1 --interface 127.0.0.1 --connect-timeout 2.5 a.example",
            words: [
                "ws://a.example", "-4", "--resolve", "a.example:80:127.0.0.1", "--source-ip", "127.0.0.1",
                "--connect-timeout", "2.5s",
            ]),
        Case(
            name: "sockets", line: "curl --abstract-unix-socket name -m 0 http://localhost/",
            words: ["ws://localhost/", "--unix-socket", "@name"]),
        Case(
            name: "logins", line: "curl --digest -u me:pw -n a.example",
            words: ["ws://a.example", "--digest", "--auth", "me:pw", "--netrc"]),
        Case(
            name: "a token and fields of options",
            line: "curl --oauth2-bearer t -A '' -e 'https://b.example/;auto' a.example",
            words: [
                "ws://a.example", "--user-agent=", "-H", "Authorization: Bearer t", "-H", "Referer: https://b.example/",
            ]),
        Case(
            name: "a field instead of that of an option",
            line: "curl -A x -H 'user-agent: y' -e z -H 'Referer: w' a.example",
            words: ["ws://a.example", "--user-agent", "y", "-H", "Referer: w"]),
        Case(
            name: "AWS", line: "curl --aws-sigv4 aws:amz:us-east-1:execute-api wss://a.example",
            words: ["wss://a.example", "--aws-sigv4", "us-east-1:execute-api"]),
        Case(
            name: "cookie files", line: "curl -b jar.txt -c jar.txt -b '' -b a=1 -H 'cookie: b=2' a.example",
            words: ["ws://a.example", "-b", "jar.txt", "--cookie-jar", "jar.txt", "-H", "Cookie: b=2"]),
        Case(
            name: "compression",
            line: """
                curl -H 'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; \
                client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=10' a.example
                """,
            words: ["ws://a.example", "--compress", "--compress-window-bits", "10", "--compress-no-context"]),
        Case(
            name: "pasted after wsx curl, with words of wsx", line: "curl a.example -N -- -1 hello --output json",
            words: ["ws://a.example", "-1", "hello", "--output", "json"], ignored: ["-N"]),
        Case(
            name: "options without a meaning",
            line: "curl --http2 --max-redirs 5 -w '%{http_code}' -H 'Content-Length: 0' a",
            words: ["ws://a", "--max-redirects", "5"], ignored: ["--http2", "-w", "-H 'Content-Length'"]),
        Case(
            name: "a removed field and a file of fields", line: "curl -H 'Accept:' -H @fields.txt a",
            words: ["ws://a", "-H", "@fields.txt"]),
    ]

    @Test("A curl command connects as the same wsx command", arguments: browsers + tools + options)
    func translation(_ example: Case) throws {
        guard case .connect(var arguments) = try Invocation.program.parse(["curl"] + Self.shellWords(example.line)),
            case .connect(let expected) = try Invocation.program.parse(["connect"] + example.words)
        else {
            Issue.record("another command")
            return
        }
        #expect(arguments.curl.ignoredOptions == example.ignored)
        arguments.curl.ignoredOptions = []
        #expect(arguments == expected)
    }

    @Test(
        "Values of a curl command are never references",
        arguments: [
            (["-H", "exec:id"], ["-H", "exec: id"]), (["-H", "X: exec:id"], ["-H", "X: exec:id"]),
            (["-b", "exec:id=1"], ["-H", "Cookie: exec:id=1"]), (["-b", "env:HOME"], ["-b", "./env:HOME"]),
            (["-x", "env:80"], ["--proxy", "http://env:80"]), (["-x", "@a"], ["--proxy", "http://@a"]),
            (["--oauth2-bearer", "env:HOME"], ["-H", "Authorization: Bearer env:HOME"]),
            (["--unix-socket", "@a"], ["--unix-socket", "./@a"]),
            (["-H", "X: {{env:HOME}}"], ["-H", "X: {{env:HOME}}"]),
        ])
    func literals(curl: [String], words: [String]) throws {
        let invocation = try Invocation.program.parse(["curl", "a.example"] + curl)
        #expect(try invocation == Invocation.program.parse(["connect", "ws://a.example"] + words))
    }

    @Test(
        "A curl command that cannot be translated is an error on one line",
        arguments: [
            (["-u", "env:HOME"], "invalid value for '-u': wsx would read a file, variable, or program; "),
            (["--pass", "@x"], "invalid value for '--pass': wsx would read a file, variable, or program; "),
            (["-E", "c.pem:exec:id"], "invalid value for '-E': wsx would read a file, variable, or program; "),
            (["-x", "exec://id"], "invalid value 'exec://id' for '-x': the scheme is not http, https, "),
            (["-d", "x"], "unknown option '-d'; a WebSocket handshake has no body; write messages after --"),
            (["-XPOST"], "unknown option '-X POST'; a WebSocket handshake always uses GET; omit it"),
            (["-T", "file"], "unknown option '-T'; to send a file as a message, write -- --file FILE"),
            (
                ["-o", "x"],
                "unknown option '-o'; use > FILE to save received messages, or -- --output FORMAT for a format"
            ),
            (["--next"], "unknown option '--next'; wsx makes one connection; write the second command alone"),
            (["--header=X: 1"], "unknown option '--header='; curl has no '=' there; write --header VALUE"),
            (["--unheard-of=geheim"], "unknown option '--unheard-of'; omit it; options of wsx follow --"),
            (["--hedaer", "X: 1"], "unknown option '--hedaer'; did you mean '--header'?"),
            (["--unheard-of"], "unknown option '--unheard-of'; omit it; options of wsx follow --"),
            (["-sQ"], "unknown option '-Q'; omit it; options of wsx follow --"),
            (["-H"], "'-H' needs a value: -H VALUE"),
            (["hello"], "invalid value 'hello' for 'URL': it is the second one; write messages after --"),
            (["^"], "invalid value '^' for 'URL': the carets are those of cmd.exe; copy the command for bash"),
            (
                ["--interface", "eth0"],
                "invalid value 'eth0' for '--interface': wsx needs an IP address of this machine"
            ),
            (["-m", "1m"], "invalid value '1m' for '-m': expected a number of seconds"),
            (["-H", "X: {{a}}", "--", "--template"], "'--template' cannot be used with '{{ in a curl command'; omit"),
            (["--", "--exec", "--", "touch", "x"], "'--exec' starts a program, but 'wsx curl' starts none because"),
            (["--", "--bearer=exec:id"], "'--bearer' starts a program, but 'wsx curl' starts none because commands"),
            (["--", "-Hexec:id"], "'-H' starts a program"), (["--", "-vkuexec:id"], "'-u' starts a program"),
            (["--", "-bexec:id"], "'-b' starts a program"), (["--", "--decode", "exec:id"], "'--decode' starts"),
            (["--", "--protocol=mqtt", "--param=password=exec:id"], "'--param' starts a program"),
            (["--", "--unheard-of"], "unknown option '--unheard-of'; 'wsx connect -h' lists the options"),
        ])
    func errors(words: [String], message: String) {
        expectError(["curl", "https://a.example/"] + words, message)
    }

    @Test(
        "The URL is one that curl knows",
        arguments: [
            ([], "'wsx curl' needs URL; try 'wsx curl https://localhost:8080/'"),
            (["curl"], "'wsx curl' needs URL; try 'wsx curl https://localhost:8080/'"),
            (["@prod"], "invalid value '@prod' for 'URL': curl has no profiles; use 'wsx connect'"),
            (["ftp://a/"], "invalid value 'ftp://a/' for 'URL': the scheme is not http, https, ws, or wss"),
            (["ws+unix:///a"], "invalid value 'ws+unix:///a' for 'URL': the scheme is not http, https, ws, or wss"),
            (["https://"], "invalid value 'https://' for 'URL': the host is missing"),
        ])
    func urls(words: [String], message: String) {
        expectError(["curl"] + words, message)
    }

    @Test("Each option of curl is in the table once, and has its counterpart") func table() {
        let names = CurlOption.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for option in CurlOption.all {
            guard case .option(let long) = option.effect else { continue }
            let own = TestProgram.options(of: .connect).first { option in
                option.long == long || option.aliases.contains { $0.name == "--" + long }
            }
            #expect(own.map { ($0.value != nil) == option.takesValue } == true, "\(option.names)")
        }
    }

    @Test("Errors in a curl command are JSON only if the words after -- ask for it") func json() {
        #expect(UsageError.isForPrograms(["curl", "a", "-x", "--", "--output", "json"]))
        #expect(!UsageError.isForPrograms(["curl", "a", "--json", "{}", "--output", "json"]))
    }

    private func expectError(_ words: [String], _ message: String) {
        do throws(UsageError) {
            _ = try Invocation.program.parse(words)
            Issue.record("no error")
        } catch {
            #expect(error.message.hasPrefix("wsx: " + message), "\(error.message)")
        }
    }

    /// The words of a line for bash with single quotes, `$'...'`, and backslashes before line ends.
    static func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case "'":
                word = (word ?? "") + rest.prefix { $0 != "'" }
                rest = rest.drop { $0 != "'" }.dropFirst()
            case "$" where rest.first == "'":
                rest.removeFirst()
                word = (word ?? "") + ansiQuoted(&rest)
            case "\\":
                guard let next = rest.popFirst(), next != "\n" else { continue }
                word = (word ?? "") + String(next)
            case " ":
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap { $0 }
    }

    private static func ansiQuoted(_ rest: inout Substring) -> String {
        var text = ""
        while let character = rest.popFirst(), character != "'" {
            guard character == "\\", let escape = rest.popFirst() else {
                text.append(character)
                continue
            }
            guard escape == "u" else {
                text.append(escape)
                continue
            }
            text += UInt32(rest.prefix(4), radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? "?"
            rest = rest.dropFirst(4)
        }
        return text
    }
}
