import Testing
import WSCore

@testable import Connect
@testable import UserInterface

@Suite struct ConnectSettingsTests {
    @Test("The URL determines the server, and options the way to it")
    func destinations() throws {
        let abbreviated = try settings {
            $0.client.url = ":8080"
            $0.client.network.addressFamily = .ipv6
        }
        #expect(abbreviated.connector.request.url.endpoint == .tcp(host: "localhost", port: 8080))
        #expect(abbreviated.connector.network.family == .ipv6)
        #expect(abbreviated.connector.destination == nil)
        #expect(abbreviated.connector.redirects == RedirectPolicy())
    }

    @Test("--unix-socket changes the destination, and the URL still sets the Host field")
    func unixSocket() throws {
        let settings = try self.settings {
            $0.client.url = "ws://name/x"
            $0.client.network.unixSocket = "/run/s"
        }
        #expect(settings.connector.destination == .unix(path: "/run/s"))
        #expect(settings.connector.request.fields.first(named: "Host") == "name")
    }

    @Test("The default wait for replies depends on the goal of the run; --linger overrides it")
    func linger() throws {
        #expect(try settings { _ in }.linger == .answered(idle: .seconds(1)))
        #expect(try settings { $0.ending.linger = .idle(.seconds(1)) }.linger == .idle(.seconds(1)))
        #expect(try settings { $0.ending.isOne = true }.linger == .total(.seconds(30)))
        #expect(try settings { ($0.ending.isOne, $0.ending.timeout) = (true, .seconds(9)) }.linger == .forever)
        #expect(try settings { ($0.ending.isOne, $0.replies.sendsRequests) = (true, true) }.linger == .idle(.zero))
        #expect(try settings { $0.ending.until = ["x"] }.linger == .forever)
        #expect(try settings { $0.ending.count = 1 }.linger == .total(.seconds(30)))
        #expect(try settings { ($0.ending.count, $0.ending.timeout) = (1, .seconds(90)) }.linger == .forever)
        #expect(try settings { $0.replies.sendsRequests = true }.linger == .idle(.zero))
        #expect(try settings { ($0.ending.count, $0.replies.sendsRequests) = (1, true) }.linger == .total(.seconds(30)))
        #expect(
            try settings { ($0.ending.count, $0.ending.until, $0.ending.linger) = (1, ["x"], .idle(.zero)) }.linger
                == .idle(.zero))
    }

    @Test("--one waits for one reply per message, but requests know their replies")
    func one() throws {
        let message = Array("a".utf8)
        for hasRequests in [false, true] {
            var conditions = try settings {
                $0.ending.isOne = true
                $0.replies.sendsRequests = hasRequests
            }.conditions
            conditions.messageSent()
            _ = conditions.inputEnded()
            #expect((conditions.unmetGoal == nil) == hasRequests)
            let isLast = conditions.receive(message.span.bytes, payload: message.span.bytes)
            #expect(isLast != hasRequests)
        }
    }

    @Test("Replies are counted only if the default wait depends on them")
    func countsReplies() throws {
        #expect(try settings { $0.messages.texts = ["x"] }.countsReplies)
        #expect(try !settings { $0.ending.linger = .idle(.seconds(1)) }.countsReplies)
        #expect(try !settings { $0.ending.count = 1 }.countsReplies)
        #expect(try !settings { $0.replies.sendsRequests = true }.countsReplies)
        #expect(try !settings { $0.format.readsInput = false }.countsReplies)
        var prompt = try settings { _ in }
        prompt.source = .prompt
        #expect(!prompt.countsReplies)
    }

    @Test("The error for an invalid URL states the reason")
    func urlErrors() {
        expectMessage(
            "URL 'ftp://h/': unknown scheme \"ftp\"; use ws://, wss://, http://, https://, ws+unix:, or echo:"
        ) {
            () throws(Failure) in _ = try settings { $0.client.url = "ftp://h/" }
        }
    }

    @Test("--auth sets Basic authentication, split at the first colon")
    func auth() throws {
        let settings = try self.settings { $0.client.request.auth = "user:pass:word" }
        #expect(settings.connector.request.fields.first(named: "Authorization") == "Basic dXNlcjpwYXNzOndvcmQ=")
        expectMessage(
            "--auth: the password is missing; write USER:PASSWORD, @FILE, or env:NAME"
        ) {
            () throws(Failure) in _ = try self.settings { $0.client.request.auth = "user" }
        }
        expectMessage("--auth: the password contains a control character; remove it") {
            () throws(Failure) in _ = try self.settings { $0.client.request.auth = "user:\n" }
        }
    }

    @Test("--bearer sets the Authorization field and overrides the URL's user and password")
    func bearer() throws {
        let settings = try self.settings {
            $0.client.url = "ws://user:password@h/"
            $0.client.request.bearer = "abc-._~+/=="
        }
        #expect(settings.connector.request.fields.all(named: "Authorization") == ["Bearer abc-._~+/=="])
        for token in ["", "a b", "a\n", "é"] {
            expectMessage("--bearer: a token must be one or more visible ASCII characters, without spaces") {
                () throws(Failure) in _ = try self.settings { $0.client.request.bearer = token }
            }
        }
    }

    @Test("--proxy accepts a variable or a file, and errors do not show their contents")
    func proxySecrets() throws {
        let secrets = Secrets { ["PROXY": "socks5h://user:password@proxy:1", "WRONG": "http://us er:secret@h"][$0] }
        var arguments = ConnectArguments()
        arguments.client.url = "ws://h/"
        arguments.client.network.proxy = "env:PROXY"
        let proxy = try Proxy(parsing: "socks5h://user:password@proxy:1")
        #expect(try Self.proxy(of: ConnectSettings(arguments, secrets: secrets)) == proxy)
        try withFile(Array("socks5h://user:password@proxy:1\n".utf8)) { path in
            arguments.client.network.proxy = "@\(path)"
            let found = try Self.proxy(of: ConnectSettings(arguments, secrets: secrets))
            #expect(found == proxy)
        }
        arguments.client.network.proxy = "env:WRONG"
        expectMessage("--proxy: the URL contains a space or a control character; percent-encode it") {
            () throws(Failure) in _ = try ConnectSettings(arguments, secrets: secrets)
        }
    }

    private static func proxy(of settings: ConnectSettings) throws -> Proxy? {
        try settings.connector.proxies?.proxy(isSecure: false, host: "h", port: 80)?.proxy
    }

    @Test("RFC 6265 §5.4: all cookies are sent in one field, those of --header first")
    func cookies() throws {
        let settings = try self.settings {
            $0.client.request.cookies = ["a=1", "b=2; c="]
            $0.client.request.headers = ["Cookie: z=0"]
        }
        #expect(settings.connector.request.fields.all(named: "Cookie") == ["z=0; a=1; b=2; c="])
        for cookie in ["a", "=1", ""] {
            expectMessage("--cookie: the name or the '=' is missing; write name=value") {
                () throws(Failure) in _ = try self.settings { $0.client.request.cookies = [cookie] }
            }
        }
        #expect(throws: Failure.self) { try self.settings { $0.client.request.cookies = ["a=\r\nb"] } }
    }

    @Test("Cookie files are read, and /connect to another origin keeps their cookies")
    func cookieFiles() throws {
        let text = "h\tFALSE\t/\tFALSE\t0\ta\t1\nno cookie\nother\tFALSE\t/\tFALSE\t0\tb\t2\n"
        try withFile(Array(text.utf8)) { path in
            var arguments = ConnectArguments()
            arguments.client.url = "ws://h/"
            arguments.client.request.cookieFiles = [path]
            arguments.client.request.cookies = ["own=3"]
            var notices: [String] = []
            let settings = try ConnectSettings(arguments) { notices.append($0) }
            #expect(settings.connectorResources.cookies.count == 2)
            #expect(notices == ["wsx: --cookie \(path): 1 line without a cookie ignored"])
            let other = try settings.leading(to: "ws://other/")
            #expect(other.connectorResources.cookies.count == 2)
            #expect(other.connector.request.fields.first(named: "Cookie") == nil)
            let request = other.connector.request.withCookies(from: other.connectorResources.cookies, at: 0)
            #expect(request.fields.first(named: "Cookie") == "b=2")
        }
    }

    @Test("A file without cookies is rejected, and a missing one is rejected unless it will be written")
    func badCookieFiles() throws {
        try withFile(Array("a=1; b=2\n".utf8)) { path in
            expectMessage(
                "--cookie \(path): it has no cookies in the format of curl; for name=value in a file, write @FILE"
            ) { () throws(Failure) in _ = try self.settings { $0.client.request.cookieFiles = [path] } }
        }
        expectMessage(
            "--cookie: the file does not exist; write name=value for a cookie, or --binary for binary messages"
        ) {
            () throws(Failure) in _ = try self.settings { $0.client.request.cookieFiles = ["/tmp/none"] }
        }
        _ = try settings {
            $0.client.request.cookieFiles = ["/tmp/none"]
            $0.client.request.cookieJar = "/tmp/none"
        }
    }

    @Test(
        "A cookie file that cannot be written is rejected before the run",
        arguments: [
            ("-", "standard output is already in use; for a file named '-', write ./-"),
            ("/none/jar", "no such file or directory; check the path"),
            ("/tmp", "it is a directory, a device, or a symbolic link; name another file"),
            ("/dev/null", "it is a directory, a device, or a symbolic link; name another file"),
        ])
    func badCookieJar(path: String, why: String) {
        expectMessage("--cookie-jar \(path): \(why)") {
            () throws(Failure) in _ = try self.settings { $0.client.request.cookieJar = path }
        }
    }

    @Test("A cookie file to write may be one of those to read, and no other input file")
    func cookieJarIsInput() throws {
        try withFile([]) { path in
            let settings = try self.settings {
                $0.client.request.cookieFiles = [path]
                $0.client.request.cookieJar = path
            }
            #expect(settings.saveCookies() == nil)
            #expect(try File.read(path).starts(with: "# Netscape HTTP Cookie File\n".utf8))
            expectMessage("--cookie-jar \(path): --file reads the same file; name another file") {
                () throws(Failure) in
                _ = try self.settings {
                    $0.client.request.cookieJar = path
                    $0.messages.file = path
                }
            }
        }
    }

    @Test("The request contains all requested fields")
    func request() throws {
        let settings = try self.settings {
            $0.client.request.headers = ["X-One: 1"]
            $0.client.request.subprotocols = ["chat", "v2"]
            $0.client.request.origin = "https://o"
            $0.client.request.host = "other"
        }
        let fields = settings.connector.request.fields
        #expect(fields.first(named: "X-One") == "1")
        #expect(fields.first(named: "Sec-WebSocket-Protocol") == "chat, v2")
        #expect(fields.first(named: "Origin") == "https://o")
        #expect(fields.first(named: "Host") == "other")
        #expect(fields.first(named: "User-Agent") == "wsx/\(version)")
        expectMessage("--subprotocol: the subprotocol \"a\" is repeated; name it once") {
            () throws(Failure) in _ = try self.settings { $0.client.request.subprotocols = ["a", "a"] }
        }
    }

    @Test("Messages are sent in order, the file last, as text unless --binary is given")
    func messages() throws {
        try withFile(Array("a file\n".utf8)) { path in
            for (payload, kind) in [(PayloadKind.automatic, MessageKind.text), (.text, .text), (.binary, .binary)] {
                let settings = try self.settings {
                    $0.messages.texts = ["one", "", "two"]
                    $0.messages.file = path
                    $0.format.payload = payload
                }
                #expect(
                    settings.messages.map { String(decoding: $0.payload, as: UTF8.self) } == [
                        "one", "", "two", "a file\n",
                    ])
                #expect(settings.messages.allSatisfy { $0.kind == kind })
            }
        }
    }

    @Test("A missing file, or one with invalid UTF-8, is rejected")
    func badFile() throws {
        expectMessage("--file /no/file: no such file or directory; check the path") {
            () throws(Failure) in _ = try settings { $0.messages.file = "/no/file" }
        }
        try withFile([0xFF]) { path in
            expectMessage("--file \(path): it is not UTF-8 text; send it with --binary") {
                () throws(Failure) in _ = try settings { $0.messages.file = path }
            }
            let binary = try settings {
                $0.messages.file = path
                $0.format.payload = .binary
            }
            #expect(binary.messages.map(\.payload) == [[0xFF]])
        }
    }

    @Test("Messages replace standard input, unless both are requested")
    func inputSources() throws {
        func reads(_ change: (inout ConnectArguments) -> Void) throws -> Bool {
            let settings = try self.settings {
                // Not lines: with lines, the prompt would open if the tests run on a terminal.
                $0.format.input = .nul
                change(&$0)
            }
            #expect(!settings.hasPrompt)
            return settings.readsPipe
        }
        #expect(try reads { _ in })
        #expect(try !reads { $0.messages.texts = ["x"] })
        #expect(
            try reads {
                $0.messages.texts = ["x"]
                $0.messages.isInteractive = true
            })
        #expect(try !reads { $0.format.readsInput = false })
    }

    @Test("The connection has the requested limits, timeouts, and close frame")
    func connection() throws {
        let settings = try self.settings {
            $0.client.limits.maximumMessageBytes = 7
            $0.client.limits.maximumFragments = 8
            $0.client.limits.fragmentBytes = 9
            $0.client.limits.closeTimeout = .seconds(3)
            $0.client.closeFrame.closeCode = 4000
            $0.client.closeFrame.closeReason = "done"
        }
        let connection = settings.connection(handledBy: ConnectRun.self)
        #expect(connection.role == .client)
        #expect(connection.limits == Limits(maximumMessageBytes: 7, maximumFragments: 8))
        #expect(connection.fragmentBytes == 9)
        #expect(connection.closeTimeout == .seconds(3))
        #expect(!connection.pausesReadingWhenFull)
        #expect(settings.closeFrame == CloseFrame(code: CloseCode(rawValue: 4000), reason: "done"))
    }

    @Test("Chunks, hex, and Base64 default to binary, and other formats to text")
    func kinds() {
        for format in InputFormat.allCases {
            #expect(
                PayloadKind.automatic.kind(for: format)
                    == ([.chunks, .hex, .base64].contains(format) ? .binary : .text))
            #expect(PayloadKind.text.kind(for: format) == .text)
            #expect(PayloadKind.binary.kind(for: format) == .binary)
        }
    }

    @Test("--reconnect retries forever or a number of times, and is off by default")
    func reconnecting() throws {
        #expect(try settings { _ in }.backoff == nil)
        #expect(try settings { $0.staying.reconnection = .times(7) }.backoff?.maximumTries == 7)
        let forever = try #require(try settings { $0.staying.reconnection = .always }.backoff)
        #expect(forever.maximumTries == nil)
    }

    @Test("--reconnect-delay replaces the default delays of retries")
    func reconnectDelay() throws {
        let range = Duration.milliseconds(50) ... .seconds(2)
        #expect(
            try settings { ($0.staying.reconnection, $0.staying.reconnectDelay) = (.always, range) }.backoff?.delays
                == .between(range))
        #expect(try settings { $0.staying.reconnection = .always }.backoff?.delays == .standard)
    }

    @Test(
        "The first retry follows sooner if the server is on this machine",
        arguments: [
            ("localhost:80", true), ("ws://LOCALHOST./", true), ("wss://app.localhost:8443/x", true),
            ("ws://127.9.9.9/", true), ("ws://[::1]:80/", true), ("echo:", true), ("ws+unix:///run/s", true),
            ("ws://localhost.example/", false), ("ws://128.0.0.1/", false), ("ws://[::2]/", false),
            ("ws://notlocalhost/", false),
        ])
    func localDelays(url: String, isLocal: Bool) throws {
        func delays(_ change: (inout ConnectArguments) -> Void = { _ in }) throws -> Backoff.Delays? {
            try settings {
                $0.client.url = url
                $0.staying.reconnection = .always
                change(&$0)
            }.backoff?.delays
        }
        #expect(try delays() == (isLocal ? .interactive : .standard))
        let isTCP = !["echo:", "ws+unix:///run/s"].contains(url)
        #expect(
            try delays { $0.client.network.proxy = "http://127.0.0.1:3128" } == (isTCP ? .standard : .interactive))
        if isTCP { #expect(try delays { $0.client.network.unixSocket = "/run/s" } == .interactive) }
        let range = Duration.seconds(1) ... .seconds(2)
        #expect(try delays { $0.staying.reconnectDelay = range } == .between(range))
    }

    @Test("The first retry follows sooner at the prompt, also through a proxy")
    func promptDelays() throws {
        var settings = try self.settings {
            $0.client.network.proxy = "http://proxy.example"
            $0.staying.reconnection = .always
        }
        settings.source = .prompt
        #expect(settings.backoff?.delays == .interactive)
    }

    @Test("--heartbeat sends pings or the given message, and disconnects after the given misses")
    func heartbeat() throws {
        #expect(try settings { _ in }.heartbeat == nil)
        let pings = try settings { $0.staying.heartbeats.heartbeat = .seconds(9) }.heartbeat
        #expect(pings == .init(interval: .seconds(9), maximumMisses: 3, message: nil))
        let messages = try settings {
            $0.staying.heartbeats.heartbeat = .seconds(9)
            $0.staying.heartbeats.heartbeatMisses = 1
            $0.staying.heartbeatMessage = "{}"
        }
        #expect(messages.heartbeat == .init(interval: .seconds(9), maximumMisses: 1, message: Array("{}".utf8)))
    }

    @Test("/connect sends no potential secrets to another origin")
    func leadingElsewhere() throws {
        let settings = try self.settings {
            $0.client.request.headers = [
                "X-Plain: x", "Accept-Language: de", "accept: y", "DNT: 1", "Sec-WebSocket-Protocol: a",
            ]
            $0.client.request.subprotocols = ["chat"]
            $0.staying.heartbeats.heartbeat = .seconds(9)
            $0.staying.heartbeatMessage = "token"
            $0.exchange.firstMessages = ["token"]
            $0.exchange.answers = ["challenge => token"]
        }
        let elsewhere = try settings.leading(to: "ws://other/")
        #expect(settings.exchange != nil && elsewhere.exchange == nil)
        let fields = elsewhere.connector.request.fields
        #expect(fields.first(named: "Accept-Language") == "de" && fields.first(named: "Accept") == "y")
        #expect(fields.first(named: "DNT") == "1")
        #expect(!fields.contains(named: "X-Plain") && !fields.contains(named: "Sec-WebSocket-Protocol"))
        #expect(elsewhere.heartbeat?.interval == .seconds(9) && elsewhere.heartbeat?.message == nil)
        let back = try settings.leading(to: "ws://h/again")
        #expect(back.connector.request.subprotocols == ["chat", "a"])
        #expect(back.heartbeat?.message == Array("token".utf8))
    }

    @Test(
        "A password in the URL of /connect is a secret of the run",
        arguments: ["ws://u:hush-hush@h/", "ws://u:hush-hush@i/"])
    func leadingWithPassword(url: String) throws {
        let settings = try self.settings { _ in }
        _ = try settings.leading(to: url)
        #expect(settings.secrets.record.texts.contains("hush-hush"))
    }

    private func settings(_ change: (inout ConnectArguments) -> Void) throws(Failure) -> ConnectSettings {
        var arguments = ConnectArguments()
        arguments.client.url = "ws://h/"
        change(&arguments)
        return try ConnectSettings(arguments)
    }
}
