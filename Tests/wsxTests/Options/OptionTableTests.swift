import CommandLine
import Conversation
import Formats
import Testing
import WSCore

@testable import Bench
@testable import Connect
@testable import Convert
@testable import Listen
@testable import UserInterface
@testable import wsx

/// One test per option, and properties of the whole table.
@Suite struct OptionTableTests {
    struct ConnectCase: Sendable {
        let option: String
        let words: [String]
        let expect: @Sendable (inout ConnectArguments) -> Void

        init(_ option: String, _ words: String..., expect: @escaping @Sendable (inout ConnectArguments) -> Void) {
            self.option = option
            self.words = words
            self.expect = expect
        }
    }

    struct BenchCase: Sendable {
        let option: String
        let words: [String]
        let expect: @Sendable (inout BenchArguments) -> Void

        init(_ option: String, _ words: String..., expect: @escaping @Sendable (inout BenchArguments) -> Void) {
            self.option = option
            self.words = words
            self.expect = expect
        }
    }

    struct MergeCase: Sendable {
        let option: String
        let words: [String]
        let expect: @Sendable (inout MergeArguments) -> Void

        init(_ option: String, _ words: String..., expect: @escaping @Sendable (inout MergeArguments) -> Void) {
            self.option = option
            self.words = words
            self.expect = expect
        }
    }

    struct ConvertCase: Sendable {
        let option: String
        let words: [String]
        let expect: @Sendable (inout ConvertArguments) -> Void

        init(_ option: String, _ words: String..., expect: @escaping @Sendable (inout ConvertArguments) -> Void) {
            self.option = option
            self.words = words
            self.expect = expect
        }
    }

    struct ListenCase: Sendable {
        let option: String
        let words: [String]
        let expect: @Sendable (inout ListenArguments) -> Void

        init(_ option: String, _ words: String..., expect: @escaping @Sendable (inout ListenArguments) -> Void) {
            self.option = option
            self.words = words
            self.expect = expect
        }
    }

    static let connectCases: [ConnectCase] = [
        ConnectCase("execute", "-x", "a", "--execute=b") { $0.messages.texts = ["a", "b"] },
        ConnectCase("file", "-f", "p") { $0.messages.file = "p" },
        ConnectCase("define", "--define", "a=b=c") {
            $0.messages.definitions = [MessageDefinition(name: "a", text: "b=c")]
        },
        ConnectCase("eol", "--eol", "crlf") { $0.messages.lineEnd = .crlf },
        ConnectCase("every", "--every", "20ms") { $0.messages.input.interval = .milliseconds(20) },
        ConnectCase("wrap", "--wrap", "<{{input}}>") { $0.messages.input.wrap = "<{{input}}>" },
        ConnectCase("last-message", "--last-message", "end") { $0.messages.input.lastMessage = "end" },
        ConnectCase("interactive", "-i") { $0.messages.isInteractive = true },
        ConnectCase("no-stdin", "--no-stdin") { $0.format.readsInput = false },
        ConnectCase("text", "--text") { $0.format.payload = .text },
        ConnectCase("binary", "--binary") { $0.format.payload = .binary },
        ConnectCase("input", "--input", "chunks:3k") { ($0.format.input, $0.format.chunkBytes) = (.chunks, 3072) },
        ConnectCase("crlf", "--crlf") { $0.format.stripsCarriageReturn = true },
        ConnectCase("replay-speed", "--replay-speed", "0.5") { $0.format.replaySpeed = .factor(0.5) },
        ConnectCase("output", "--output", "json") { $0.format.output = .json },
        ConnectCase("format", "--format", "{size}") { $0.format.format = MessageFormat(parts: [.size]) },
        ConnectCase("pick", "--pick", ".a[0]") { $0.format.pick = try? JSONPath(".a[0]") },
        ConnectCase("diff", "--diff=/a,.b", "--diff", "--diff=.c[0]") {
            $0.format.changes = [try? JSONPath(".c[0]")].compactMap { $0 }
        },
        ConnectCase("decode", "--decode", "gzip", "--decode=exec:./d -x") {
            $0.codecs.decoders = [.gzip, .program("./d -x")]
        },
        ConnectCase("encode", "--encode", "cbor") { $0.codecs.encoders = [.cbor] },
        ConnectCase("protocol", "--protocol", "socket.io") { $0.protocols.choice = .named("socket.io") },
        ConnectCase("param", "--protocol=mqtt", "--param", "username=a=b", "--param=password=@f") {
            $0.protocols.choice = .named("mqtt")
            $0.protocols.parameters = [
                ProtocolParameterValue(name: "username", value: "a=b"),
                ProtocolParameterValue(name: "password", value: "@f"),
            ]
        },
        ConnectCase("linger", "--linger", "forever") { $0.ending.linger = .forever },
        ConnectCase("count", "-n", "50k") { $0.ending.count = 50_000 },
        ConnectCase("one", "-1") { $0.ending.isOne = true },
        ConnectCase("until", "--until", "a", "--until=^b$") { $0.ending.until = ["a", "^b$"] },
        ConnectCase("expect", "--expect", "a", "--expect=b") { $0.ending.expectations = ["a", "b"] },
        ConnectCase("request", "--request") { $0.replies.sendsRequests = true },
        ConnectCase("fail", "--fail", "--json-rpc") {
            $0.replies.failsOnErrorReply = true
            $0.replies.calls = .automatic
        },
        ConnectCase("correlate", "--correlate", "/a/id") { $0.replies.correlation = Correlation("/a/id") },
        ConnectCase("json-rpc", "--json-rpc=devtools", "--json-rpc") { $0.replies.calls = .automatic },
        ConnectCase("reply-timeout", "--reply-timeout", "5", "--request") {
            $0.replies.sendsRequests = true
            $0.replies.replyTimeout = .seconds(5)
        },
        ConnectCase("timeout", "--timeout", "1m") { $0.ending.timeout = .seconds(60) },
        ConnectCase("close-code", "--close-code", "4000") { $0.client.closeFrame.closeCode = 4000 },
        ConnectCase("close-reason", "--close-reason", "bye") { $0.client.closeFrame.closeReason = "bye" },
        ConnectCase("close-timeout", "--close-timeout", "0") { $0.client.limits.closeTimeout = .zero },
        ConnectCase("reconnect", "--reconnect=5", "--reconnect") { $0.staying.reconnection = .always },
        ConnectCase("reconnect-delay", "--reconnect", "--reconnect-delay", "1s..1m") {
            $0.staying.reconnection = .always
            $0.staying.reconnectDelay = .seconds(1) ... .seconds(60)
        },
        ConnectCase("reconnect-on", "--reconnect-on", "401,1000", "--reconnect-on=4000", "--reconnect=5") {
            $0.staying.reconnection = .times(5)
            $0.staying.codes = .only([401, 1000, 4000])
        },
        ConnectCase("reconnect-when", "--reconnect-when", "json:.op", "--reconnect-when=a") {
            $0.staying.reconnection = .always
            $0.staying.reconnectConditions = ["json:.op", "a"].compactMap { try? ScopedCondition($0) }
        },
        ConnectCase("reconnect-url", "--reconnect-url", "exec:./url", "--reconnect-delay=1s..1m") {
            $0.staying.reconnection = .always
            $0.staying.reconnectURL = "exec:./url"
            $0.staying.reconnectDelay = .seconds(1) ... .seconds(60)
        },
        ConnectCase("stale", "--stale", "30s") { $0.staying.staleTime = .seconds(30) },
        ConnectCase("first-message", "--first-message", "a", "--first-message=@f") {
            $0.exchange.firstMessages = ["a", "@f"]
        },
        ConnectCase("ready", "--ready", "ok") { $0.exchange.ready = "ok" },
        ConnectCase("set", "--set", "a=.b", "--set=c=/d") {
            $0.exchange.sets = ["a=.b", "c=/d"].compactMap { try? SetVariableValue.parse($0) }
        },
        ConnectCase("answer", "--answer", "a => b", "--answer=c => d") { $0.exchange.answers = ["a => b", "c => d"] },
        ConnectCase("template", "--template") { $0.data.usesTemplates = true },
        ConnectCase("data", "--data", "users.csv") { $0.data.path = "users.csv" },
        ConnectCase("row", "--data=users.csv", "--row", "7") {
            $0.data.path = "users.csv"
            $0.data.row = 7
        },
        ConnectCase("scenario", "--scenario", "f") { $0.scenario.path = "f" },
        ConnectCase("connection", "--scenario=f", "--connection", "3") {
            $0.scenario.path = "f"
            $0.scenario.connection = 3
        },
        ConnectCase("junit", "--scenario=f", "--junit", "r.xml") {
            $0.scenario.path = "f"
            $0.scenario.junitPath = "r.xml"
        },
        ConnectCase("ignore", "--scenario=f", "--ignore", "/a,/b/0", "--ignore=/c") {
            $0.scenario.path = "f"
            $0.scenario.ignoredPointers = ["/a", "/b/0", "/c"]
        },
        ConnectCase("exec", "--exec", "--", "p", "-1") { $0.messages.program = ["p", "-1"] },
        ConnectCase("exec-grace", "--exec-grace=0", "--exec", "--", "p") {
            $0.messages.program = ["p"]
            $0.programs.programGrace = .zero
        },
        ConnectCase("exec-json", "--exec-json", "--exec", "--", "p") {
            $0.messages.program = ["p"]
            $0.programs.exchangesEvents = true
        },
        ConnectCase("heartbeat", "--heartbeat", "30s") { $0.staying.heartbeats.heartbeat = .seconds(30) },
        ConnectCase("heartbeat-misses", "--heartbeat-misses", "1", "--heartbeat", "1m") {
            $0.staying.heartbeats.heartbeat = .seconds(60)
            $0.staying.heartbeats.heartbeatMisses = 1
        },
        ConnectCase("heartbeat-message", "--heartbeat=1", "--heartbeat-message", "{}") {
            $0.staying.heartbeats.heartbeat = .seconds(1)
            $0.staying.heartbeatMessage = "{}"
        },
        ConnectCase("header", "-H", "A: b", "--header=@f") { $0.client.request.headers = ["A: b", "@f"] },
        ConnectCase("subprotocol", "-s", "a,b", "-sc") { $0.client.request.subprotocols = ["a", "b", "c"] },
        ConnectCase("auth", "-a", "me:secret") { $0.client.request.auth = "me:secret" },
        ConnectCase("bearer", "--bearer", "t") { $0.client.request.bearer = "t" },
        ConnectCase("digest", "--anyauth", "--digest") { $0.client.request.authentication = .digest },
        ConnectCase("anyauth", "--digest", "--anyauth") { $0.client.request.authentication = .strongest },
        ConnectCase("aws-sigv4", "--aws-sigv4", "eu-west-1:x") {
            $0.client.request.signatureScope = try? SignatureScope(parsing: "eu-west-1:x")
        },
        ConnectCase("netrc", "--netrc") { $0.client.request.usesNetrc = true },
        ConnectCase("cookie", "-b", "a=b", "-b", "jar", "--cookie", "c=d") {
            $0.client.request.cookies = ["a=b", "c=d"]
            $0.client.request.cookieFiles = ["jar"]
        },
        ConnectCase("print-curl", "--print-curl") { $0.curl.isPrinted = true },
        ConnectCase("show-secrets", "--show-secrets", "--print-curl") {
            $0.curl.isPrinted = true
            $0.curl.showsSecrets = true
        },
        ConnectCase("cookie-jar", "--cookie-jar", "jar") { $0.client.request.cookieJar = "jar" },
        ConnectCase("origin", "-o", "https://a", "-o", "https://b") { $0.client.request.origin = "https://b" },
        ConnectCase("host", "--host", "h") { $0.client.request.host = "h" },
        ConnectCase("user-agent", "--user-agent", "t") { $0.client.request.userAgent = "t" },
        ConnectCase("ipv4", "-4") { $0.client.network.addressFamily = .ipv4 },
        ConnectCase("ipv6", "--ipv6") { $0.client.network.addressFamily = .ipv6 },
        ConnectCase("http2", "--http2") { $0.client.network.httpVersion = .http2 },
        ConnectCase("resolve", "--resolve", "a:1:::1", "--resolve=b:2:::2") {
            $0.client.network.resolve = ["a:1:::1", "b:2:::2"]
        },
        ConnectCase("source-ip", "--source-ip", "::1", "--source-ip=192.0.2.1") {
            $0.client.network.sourceIPs = ["::1", "192.0.2.1"]
        },
        ConnectCase("unix-socket", "--unix-socket", "/s") { $0.client.network.unixSocket = "/s" },
        ConnectCase("connect-timeout", "--connect-timeout", "250ms", "--connect-timeout=tls=2s,name=1s") {
            $0.client.network.connectTimeouts = .init(
                whole: .milliseconds(250), phases: [.securing: .seconds(2), .resolving: .seconds(1)])
        },
        ConnectCase("location", "-L") { $0.client.request.redirects = .untrusted },
        ConnectCase("location-trusted", "--location-trusted") {
            $0.client.request.redirects = .trusted
        },
        ConnectCase("max-redirects", "--max-redirects", "0") { $0.client.request.maximumRedirects = 0 },
        ConnectCase("proxy", "--proxy", "socks5://h:1") { $0.client.network.proxy = "socks5://h:1" },
        ConnectCase("proxy-digest", "--proxy-digest") { $0.client.network.proxyAuthentication = .digest },
        ConnectCase("proxy-anyauth", "--proxy-anyauth") { $0.client.network.proxyAuthentication = .strongest },
        ConnectCase("no-proxy", "--no-proxy", "*") { $0.client.network.noProxy = "*" },
        ConnectCase("ca", "--ca", "p") { $0.client.tls.authorities = "p" },
        ConnectCase("cert", "--cert", "p") { $0.client.tls.certificate = "p" },
        ConnectCase("key", "--key", "p", "--cert=c") {
            $0.client.tls.key = "p"
            $0.client.tls.certificate = "c"
        },
        ConnectCase("passphrase", "--passphrase", "env:X", "--cert=c") {
            $0.client.tls.passphrase = "env:X"
            $0.client.tls.certificate = "c"
        },
        ConnectCase("insecure", "-k") { $0.client.tls.isInsecure = true },
        ConnectCase("pin", "--pin", aPin, "--pin", aPin) { $0.client.tls.pins = aPinValue + aPinValue },
        ConnectCase("tls-server-name", "--tls-server-name", "n") { $0.client.tls.serverName = "n" },
        ConnectCase("tls-min", "--tls-min", "1.3") { $0.client.tls.minimumVersion = .tls13 },
        ConnectCase("compress", "--compress=off") { $0.client.compression.compresses = false },
        ConnectCase("compress-window-bits", "--compress-window-bits", "8") {
            $0.client.compression.compressionWindowBits = 8
        },
        ConnectCase("compress-no-context", "--compress-no-context") {
            $0.client.compression.compressionKeepsContext = false
        },
        ConnectCase("max-message-size", "--max-message-size", "1G") { $0.client.limits.maximumMessageBytes = 1 << 30 },
        ConnectCase("max-fragments", "--max-fragments", "1k") { $0.client.limits.maximumFragments = 1000 },
        ConnectCase("fragment-size", "--fragment-size", "1k") { $0.client.limits.fragmentBytes = 1024 },
        ConnectCase("verbose", "-vvv", "--verbose") { $0.transcript.verbosity = 2 },
        ConnectCase("quiet", "-q") { $0.transcript.display.isQuiet = true },
        ConnectCase("plain", "--plain") { $0.transcript.display.isPlain = true },
        ConnectCase("color", "--color=never") { $0.transcript.display.color = .never },
        ConnectCase("timestamps", "--timestamps=off") { $0.transcript.timestamps = .off },
        ConnectCase("history", "--no-history", "--history", "f") { $0.history = .file("f") },
        ConnectCase("no-history", "--history", "f", "--no-history") { $0.history = .none },
        ConnectCase("record", "--record", "f") { $0.transcript.recordPath = "f" },
        ConnectCase("drop", "--drop", "x", "--drop=json:.a") { $0.transcript.dropped = conditions("x", "json:.a") },
        ConnectCase("hold", "--hold", "x", "--page", "1") { ($0.page.held, $0.page.address) = (conditions("x"), "1") },
        ConnectCase("page", "--page", "127.0.0.1:1") { $0.page.address = "127.0.0.1:1" },
        ConnectCase("hide", "--hide", "x", "--hide", "json:.a") { $0.transcript.hidden = conditions("x", "json:.a") },
        ConnectCase("pretty", "--no-pretty", "--pretty") { $0.transcript.isPretty = true },
        ConnectCase("paste", "--paste", "lines") { $0.transcript.paste = .lines },
        ConnectCase("no-pretty", "--pretty", "--no-pretty") { $0.transcript.isPretty = false },
    ]

    static let aPin = "sha256//I4gj3MBH1SVyMGPke+LGm6OWCsP2pXJdugWacrEeUSc="
    static let aPinValue = (try? [TLSPin(aPin)]) ?? []

    static let listenCases: [ListenCase] = [
        ListenCase("tls-cert", "--tls-cert", "p") { $0.tls.certificate = "p" },
        ListenCase("tls-key", "--tls-key", "p", "--tls-cert", "c") {
            $0.tls.key = "p"
            $0.tls.certificate = "c"
        },
        ListenCase("passphrase", "--passphrase", "@p", "--tls-cert", "c") {
            $0.tls.passphrase = "@p"
            $0.tls.certificate = "c"
        },
        ListenCase("tls-self-signed", "--tls-self-signed") { $0.tls.isSelfSigned = true },
        ListenCase("client-ca", "--client-ca", "p", "--tls-self-signed") {
            $0.tls.clientAuthorities = "p"
            $0.tls.isSelfSigned = true
        },
        ListenCase("echo", "--echo") { $0.mode = .echo },
        ListenCase("max-processes", "--max-processes", "1k", "--exec", "--", "p") {
            $0.mode = .exec(["p"])
            $0.programs.maximumProcesses = 1000
        },
        ListenCase("exec-grace", "--exec-grace=0", "--exec", "--", "p") {
            $0.mode = .exec(["p"])
            $0.programs.programGrace = .zero
        },
        ListenCase("exec-json", "--exec-json", "--exec", "--", "p") {
            $0.mode = .exec(["p"])
            $0.programs.exchangesEvents = true
        },
        ListenCase("exec", "--exec", "--", "p", "--echo", "--", "") { $0.mode = .exec(["p", "--echo", "--", ""]) },
        ListenCase("threads", "--threads", "4") { $0.server.threadCount = 4 },
        ListenCase("broadcast", "--broadcast=path") { $0.mode = .broadcast(.path) },
        ListenCase("delay", "--delay", "1s", "--delay=100ms-2s") {
            $0.faults.delay = .milliseconds(100) ... .seconds(2)
        },
        ListenCase("drop-rate", "--drop-rate", "25%") { $0.faults.dropRate = 0.25 },
        ListenCase("seed", "--seed", "7", "--delay", "1s") {
            $0.faults.seed = 7
            $0.faults.delay = .seconds(1) ... .seconds(1)
        },
        ListenCase("close-after", "--close-after", "3") { $0.faults.closeLimit = .messages(3) },
        ListenCase("close-code", "--close-code", "4000", "--close-after", "5s") {
            $0.faults.closeLimit = .time(.seconds(5))
            $0.faults.closeFrame.closeCode = 4000
        },
        ListenCase("close-reason", "--close-reason", "bye", "--close-after=1") {
            $0.faults.closeLimit = .messages(1)
            $0.faults.closeFrame.closeReason = "bye"
        },
        ListenCase("first-message", "--first-message", "a") { $0.exchange.firstMessages = ["a"] },
        ListenCase("set", "--set", "a=.b") {
            $0.exchange.sets = ["a=.b"].compactMap { try? SetVariableValue.parse($0) }
        },
        ListenCase("param", "--param", "a=b") {
            $0.protocols.parameters = ["a=b"].compactMap { try? ProtocolParameterValue.parse($0) }
        },
        ListenCase("answer", "--answer", "a => b") { $0.exchange.answers = ["a => b"] },
        ListenCase("reject", "--reject", "401", "--reject=503x3") {
            $0.faults.rejection = .init(status: 503, count: 3)
        },
        ListenCase("no-pong", "--no-pong") { $0.faults.answersPings = false },
        ListenCase("throttle", "--throttle", "64k") { $0.faults.bytesPerSecond = 65_536 },
        ListenCase("replay", "--replay", "f") { $0.mode = .replay(path: "f") },
        ListenCase("scenario", "--scenario", "path:/a f", "--scenario", "f") {
            $0.mode = .scenario
            $0.scenarios = [(try? ScenarioChoice("path:/a f")), try? ScenarioChoice("f")].compactMap(\.self)
        },
        ListenCase("connection", "--scenario=f", "--connection", "3") {
            $0.mode = .scenario
            $0.scenarios = [try? ScenarioChoice("f")].compactMap(\.self)
            $0.scenario.connection = 3
        },
        ListenCase("ignore", "--scenario=f", "--ignore", "/a,/b") {
            $0.mode = .scenario
            $0.scenarios = [try? ScenarioChoice("f")].compactMap(\.self)
            $0.scenario.ignoredPointers = ["/a", "/b"]
        },
        ListenCase("no-stdin", "--no-stdin") { $0.format.readsInput = false },
        ListenCase("text", "--text") { $0.format.payload = .text },
        ListenCase("binary", "--binary") { $0.format.payload = .binary },
        ListenCase("input", "--input", "nul") { $0.format.input = .nul },
        ListenCase("crlf", "--crlf") { $0.format.stripsCarriageReturn = true },
        ListenCase("decode", "--decode", "zlib-stream", "--decode=msgpack") {
            $0.codecs.decoders = [.zlibStream, .messagePack]
        },
        ListenCase("encode", "--encode", "cbor") { $0.codecs.encoders = [.cbor] },
        ListenCase("replay-speed", "--replay-speed", "2") { $0.format.replaySpeed = .factor(2) },
        ListenCase("output", "--output", "raw") { $0.format.output = .raw },
        ListenCase("format", "--format", "{size}") { $0.format.format = MessageFormat(parts: [.size]) },
        ListenCase("pick", "--pick", "/a/0") { $0.format.pick = try? JSONPath("/a/0") },
        ListenCase("diff", "--diff") { $0.format.changes = [] },
        ListenCase("serve", "--serve", "public") { $0.web.servedDirectory = "public" },
        ListenCase("console", "--console") { $0.web.servesConsole = true },
        ListenCase("post", "--post") { $0.web.deliversPosts = true },
        ListenCase("path", "--path", "/chat") { $0.server.path = "/chat" },
        ListenCase("subprotocol", "-s", "a, b") { $0.server.subprotocols = ["a", "b"] },
        ListenCase("header", "-H", "A: b", "-HC: d") { $0.server.headers = ["A: b", "C: d"] },
        ListenCase("origin", "-o", "https://a", "--origin", "*") { $0.access.origins = ["https://a", "*"] },
        ListenCase("auth", "-a", "me:x", "--auth=@f") { $0.access.credentials = ["me:x", "@f"] },
        ListenCase("bearer", "--bearer", "t", "--bearer=env:T") { $0.access.tokens = ["t", "env:T"] },
        ListenCase("max-connections", "--max-connections", "1k") { $0.access.maximumConnections = 1000 },
        ListenCase("max-memory", "--max-memory", "1M") { $0.access.maximumHeldBytes = 1 << 20 },
        ListenCase("idle-timeout", "--idle-timeout", "1m") { $0.access.idleTimeout = .seconds(60) },
        ListenCase("once", "--once") { $0.server.servesOnce = true },
        ListenCase("http2", "--http2") { $0.server.acceptsHTTP2 = true },
        ListenCase("heartbeat", "--heartbeat", "30s") { $0.heartbeats.heartbeat = .seconds(30) },
        ListenCase("heartbeat-misses", "--heartbeat-misses", "1", "--heartbeat", "1m") {
            $0.heartbeats.heartbeat = .seconds(60)
            $0.heartbeats.heartbeatMisses = 1
        },
        ListenCase("record", "--record", "f") { $0.transcript.recordPath = "f" },
        ListenCase("drop", "--drop", "path:/a x") { $0.transcript.dropped = conditions("path:/a x") },
        ListenCase("hold", "--hold", "x", "--page", "1") { ($0.page.held, $0.page.address) = (conditions("x"), "1") },
        ListenCase("page", "--page", "127.0.0.1:1") { $0.page.address = "127.0.0.1:1" },
        ListenCase("hide", "--hide", "x", "--hide", "json:.a") { $0.transcript.hidden = conditions("x", "json:.a") },
        ListenCase("handshake-timeout", "--handshake-timeout", "2") { $0.server.handshakeTimeout = .seconds(2) },
        ListenCase("close-timeout", "--close-timeout", "2") { $0.limits.closeTimeout = .seconds(2) },
        ListenCase("compress", "--compress", "--compress=off") { $0.compression.compresses = false },
        ListenCase("compress-window-bits", "--compress-window-bits=9") { $0.compression.compressionWindowBits = 9 },
        ListenCase("compress-no-context", "--compress-no-context") { $0.compression.compressionKeepsContext = false },
        ListenCase("max-message-size", "--max-message-size", "1k") { $0.limits.maximumMessageBytes = 1024 },
        ListenCase("max-fragments", "--max-fragments", "1") { $0.limits.maximumFragments = 1 },
        ListenCase("fragment-size", "--fragment-size", "1") { $0.limits.fragmentBytes = 1 },
        ListenCase("verbose", "-v") { $0.transcript.verbosity = 1 },
        ListenCase("quiet", "--quiet") { $0.transcript.display.isQuiet = true },
        ListenCase("paste", "--paste", "one") { $0.transcript.paste = .one },
        ListenCase("plain", "--plain") { $0.transcript.display.isPlain = true },
        ListenCase("color", "--color", "always") { $0.transcript.display.color = .always },
        ListenCase("timestamps", "--timestamps", "utc") { $0.transcript.timestamps = .utc },
        ListenCase("pretty", "--pretty") { $0.transcript.isPretty = true },
        ListenCase("no-pretty", "--no-pretty") { $0.transcript.isPretty = false },
    ]

    @Test("An option of connect changes only its field", arguments: connectCases)
    func connect(testCase: ConnectCase) throws {
        var expected = ConnectArguments()
        expected.client.url = "u"
        testCase.expect(&expected)
        #expect(expected != ConnectArguments())
        #expect(try Invocation.program.parse(["connect", "u"] + testCase.words) == .connect(expected))
    }

    @Test("An option of listen changes only its field", arguments: listenCases)
    func listen(testCase: ListenCase) throws {
        var expected = ListenArguments()
        expected.address = "8080"
        testCase.expect(&expected)
        #expect(try Invocation.program.parse(["listen", "8080"] + testCase.words) == .listen(expected))
    }

    @Test("An option of bench changes only its field", arguments: benchCases)
    func bench(testCase: BenchCase) throws {
        var expected = BenchArguments()
        expected.client.url = "u"
        testCase.expect(&expected)
        #expect(expected != BenchArguments())
        #expect(try Invocation.program.parse(["bench", "u"] + testCase.words) == .bench(expected))
    }

    @Test("An option of bench merge changes only its field", arguments: mergeCases)
    func merge(testCase: MergeCase) throws {
        var expected = MergeArguments()
        expected.paths = ["a", "-"]
        testCase.expect(&expected)
        #expect(try Invocation.program.parse(["bench", "merge", "a"] + testCase.words + ["-"]) == .merge(expected))
    }

    @Test("An option of convert changes only its field", arguments: convertCases)
    func convert(testCase: ConvertCase) throws {
        var expected = ConvertArguments()
        (expected.input, expected.output) = ("a.har", "-")
        testCase.expect(&expected)
        #expect(try Invocation.program.parse(["convert", "a.har"] + testCase.words + ["-"]) == .convert(expected))
    }

    @Test("Each option of the table has a test") func completeness() {
        let connect = TestProgram.options(of: .connect).filter { $0.long != "help" }.map(\.long)
        #expect(connect.sorted() == Self.connectCases.map(\.option).sorted())
        let listen = TestProgram.options(of: .listen).filter { $0.long != "help" }.map(\.long)
        #expect(listen.sorted() == Self.listenCases.map(\.option).sorted())
        let bench = TestProgram.options(of: .bench).filter { $0.long != "help" }.map(\.long)
        #expect(bench.sorted() == Self.benchCases.map(\.option).sorted())
        let merge = TestProgram.options(of: .merge).filter { $0.long != "help" }.map(\.long)
        #expect(merge.sorted() == Self.mergeCases.map(\.option).sorted())
        let convert = TestProgram.options(of: .convert).filter { $0.long != "help" }.map(\.long)
        #expect(convert.sorted() == Self.convertCases.map(\.option).sorted())
    }

    @Test(
        "The shown defaults are the actual ones",
        arguments: [Command.connect, .listen, .relay, .bench, .merge, .convert])
    func defaults(command: Command) throws {
        let options = TestProgram.options(of: command)
        for option in options {
            // With `--scenario`, messages are written only if the option is given.
            guard let value = option.defaultValue, option.long != "output" else { continue }
            let needed = option.requirements.first
            let required = options.first { $0.long == needed?.long }
            let words =
                TestProgram.words(of: command) + Self.operands(of: command)
                + [required.map { $0.value == nil ? "--\($0.long)" : "--\($0.long)=\(needed?.value ?? "1")" }]
                .compactMap { $0 }
            let program = required?.long == "exec" ? ["--", "p"] : []
            let plain = try Invocation.program.parse(words + program)
            let given = try Invocation.program.parse(words + ["--\(option.long)=\(value)"] + program)
            #expect(given == plain, "--\(option.long)")
        }
    }

    static func operands(of command: Command) -> [String] { command == .relay ? ["1", "u"] : ["u"] }

    @Test("A shown choice is accepted", arguments: [Command.connect, .listen, .relay, .bench, .merge, .convert])
    func choices(command: Command) throws {
        for option in TestProgram.options(of: command) {
            let needed = option.requirements.first.map { needed in
                let hasValue = TestProgram.options(of: command).first { $0.long == needed.long }?.value != nil
                return hasValue ? "--\(needed.long)=\(needed.value ?? "1")" : "--\(needed.long)"
            }
            for choice in option.value?.completion.choices ?? [] {
                // The placeholders that not any text may replace.
                let values = ["length:TYPE": "length:u8", "skip:N": "skip:1", "protobuf:SCHEMA": "protobuf"]
                let value = values[choice.name] ?? choice.name
                _ = try Invocation.program.parse(
                    TestProgram.words(of: command) + Self.operands(of: command)
                        + ["--\(option.long)=\(value)"] + [needed].compactMap { $0 })
            }
        }
    }

    @Test(
        "Names are unique within a command, and conflicts name options of the same command",
        arguments: [nil, .connect, .listen, .relay, .bench, .merge, .curl, .convert, .help, .completions] as [Command?])
    func uniqueness(command: Command?) {
        let options = TestProgram.options(of: command)
        #expect(Set(options.map(\.long)).count == options.count)
        let shorts = options.compactMap(\.short)
        #expect(Set(shorts).count == shorts.count)
        for option in options {
            #expect(option.value?.implied == nil || option.short == nil)
            #expect(Set(option.conflicts.map(\.words)).count == option.conflicts.count, "--\(option.long)")
            for reference in option.conflicts {
                let other = options.first { $0.long == reference.long }
                #expect(other != nil, "--\(option.long) against \(reference.words)")
                guard let value = reference.value else { continue }
                #expect(other?.value?.completion.choices.contains { $0.name == value } ?? false, "\(reference.words)")
            }
            #expect(option.requirements.allSatisfy { needed in options.contains { $0.long == needed.long } })
        }
    }
}

private func conditions(_ texts: String...) -> [ScopedCondition] {
    texts.compactMap { try? ScopedCondition($0, allowing: [.path, .side]) }
}
