import Conversation
import Formats
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

extension OptionTableTests {
    static let benchCases: [BenchCase] = [
        BenchCase("connections", "-c", "1k") { $0.load.connections.count = 1000 },
        BenchCase("mode", "--mode", "send") { $0.load.mode = .send },
        BenchCase("decode", "--mode", "request", "--decode", "zlib-stream", "--decode=msgpack") {
            $0.load.mode = .request
            $0.codecs.decoders = [.zlibStream, .messagePack]
        },
        BenchCase("encode", "--mode", "request", "--encode", "cbor") {
            $0.load.mode = .request
            $0.codecs.encoders = [.cbor]
        },
        BenchCase("protocol", "--mode", "idle", "--protocol", "@p.json") {
            $0.load.mode = .idle
            $0.protocols.choice = .file("p.json")
        },
        BenchCase("param", "--mode", "idle", "--protocol=graphql", "--param", "payload={}") {
            $0.load.mode = .idle
            $0.protocols.choice = .named("graphql")
            $0.protocols.parameters = [ProtocolParameterValue(name: "payload", value: "{}")]
        },
        BenchCase("correlate", "--mode", "request", "--correlate", "/id") {
            $0.load.mode = .request
            $0.load.replies.correlation = Correlation("/id")
        },
        BenchCase("expect", "--mode", "request", "--expect", "a", "--expect=b") {
            $0.load.mode = .request
            $0.load.replies.expectations = ["a", "b"]
        },
        BenchCase("latency-from", "--mode", "receive", "--latency-from", "/ts") {
            $0.load.mode = .receive
            $0.load.publishedTime = try? JSONPath("/ts")
        },
        BenchCase("reply-end", "--mode", "request", "--reply-end", "json:.done") {
            $0.load.mode = .request
            $0.load.replies.end = "json:.done"
        },
        BenchCase("first-message", "--first-message", "a", "--first-message=@f") {
            $0.exchange.firstMessages = ["a", "@f"]
        },
        BenchCase("ready", "--ready", "ok") { $0.exchange.ready = "ok" },
        BenchCase("answer", "--answer", "a => b", "--answer=c => d") { $0.exchange.answers = ["a => b", "c => d"] },
        BenchCase("data", "--data", "users.csv") { $0.data.path = "users.csv" },
        BenchCase("scenario", "--scenario", "s.jsonl") { $0.scenario.loadFiles = ["s.jsonl"] },
        BenchCase("ignore", "--scenario", "s.jsonl", "--ignore", "/time,/id") {
            $0.scenario.loadFiles = ["s.jsonl"]
            $0.scenario.ignoredPointers = ["/time", "/id"]
        },
        BenchCase("find-rate", "--find-rate", "errors=0") {
            $0.goals = [Threshold("errors=0", .count("errors"), .equal, .number(0))]
        },
        BenchCase("abort", "--abort", "errors=0") {
            $0.abortConditions = [Threshold("errors=0", .count("errors"), .equal, .number(0))]
        },
        BenchCase("metrics", "--metrics", "9464") { $0.metricsAddress = "9464" },
        BenchCase("publishers", "--mode", "broadcast", "--publishers", "3") {
            $0.load.mode = .broadcast
            $0.load.connections.publisherCount = 3
        },
        BenchCase("heartbeat", "--mode", "idle", "--heartbeat", "5s") {
            $0.load.mode = .idle
            $0.load.pace.heartbeat = .seconds(5)
        },
        BenchCase("heartbeat-message", "--mode", "receive", "--heartbeat=5s", "--heartbeat-message", "{}") {
            $0.load.mode = .receive
            $0.load.pace.heartbeat = .seconds(5)
            $0.load.heartbeatMessage = "{}"
        },
        BenchCase("connect-rate", "--connect-rate", "100") { $0.load.connections.openingRate = 100 },
        BenchCase("threads", "-t", "4") { $0.load.connections.threadCount = 4 },
        BenchCase("rate", "-r", "20k") { $0.load.pace.rate = .constant(20_000) },
        BenchCase("arrival", "-r", "5", "--arrival", "poisson") {
            $0.load.pace.rate = .constant(5)
            $0.load.pace.arrival = .poisson
        },
        BenchCase("samples", "--samples", "s.csv:10") { $0.samples.file = "s.csv:10" },
        BenchCase("stages", "--stages", "1k@1m,0@30s") {
            $0.load.connections.stages = LoadStages([
                LoadStages.Stage(target: 1000, duration: .seconds(60)),
                LoadStages.Stage(target: 0, duration: .seconds(30)),
            ])
        },
        BenchCase("think", "--think", "1s-3s") { $0.load.pace.think = .seconds(1) ... .seconds(3) },
        BenchCase("lifetime", "--lifetime", "30s") { $0.load.connections.lifetime = .seconds(30) ... .seconds(30) },
        BenchCase("ramp", "--ramp", "2s") { $0.load.pace.ramp = .seconds(2) },
        BenchCase("start-at", "--start-at", "1970-01-01T00:00:05Z") { $0.load.start = .moment(.seconds(5)) },
        BenchCase("timeout", "--timeout", "1m") { $0.timeout = .seconds(60) },
        BenchCase("warmup", "--warmup", "500ms") { $0.load.warmup = .milliseconds(500) },
        BenchCase("duration", "-d", "30s") { $0.load.duration = .seconds(30) },
        BenchCase("messages", "-n", "1M") { $0.load.messageCount = 1_000_000 },
        BenchCase("in-flight", "--in-flight", "64") { $0.load.pace.inFlight = 64 },
        BenchCase("reply-timeout", "--reply-timeout", "2s") { $0.load.replies.timeout = .seconds(2) },
        BenchCase("message", "-m", "hi") {
            $0.loadMessages.messages = [.text("hi")]
        },
        BenchCase("file", "-f", "/x") { $0.loadMessages.messages = [.file("/x")] },
        BenchCase("size", "--size", "4k") { $0.loadMessages.sizeBytes = 4096 },
        BenchCase("binary", "--binary") { $0.loadMessages.payload = .binary },
        BenchCase("output", "--output", "json") { $0.result.output = .json },
        BenchCase("threshold", "--threshold", "p99<20ms", "--threshold", "errors=0") {
            $0.result.thresholds = aThreshold + anotherThreshold
        },
        BenchCase("accept-inconclusive", "--accept-inconclusive") { $0.result.acceptsInconclusive = true },
        BenchCase("baseline", "--baseline", "b.json", "--baseline", "c.json") {
            $0.result.baselinePaths = ["b.json", "c.json"]
        },
        BenchCase("http2", "--http2") { $0.client.network.httpVersion = .http2 },
        BenchCase("streams", "--http2", "--streams", "5") {
            $0.client.network.httpVersion = .http2
            $0.load.streams = 5
        },
        BenchCase("connect-retry", "--connect-retry", "3") { $0.load.connectRetries = 3 },
        BenchCase("drain", "--drain", "0") { $0.load.replies.drain = .zero },
        BenchCase("title", "--title", "t") { $0.result.title = "t" },
        BenchCase("label", "--label", "a=1", "--label", "a=b=2") { $0.result.labels = ["a": "b=2"] },
        BenchCase("junit", "--junit", "f.xml") { $0.result.junitPath = "f.xml" },
        BenchCase("summary", "--summary", "f.md") { $0.result.summaryPath = "f.md" },
        BenchCase("hdr", "--hdr", "f.hlog") { $0.result.histogramPath = "f.hlog" },
        BenchCase("report", "--report", "f.html") { $0.result.reportPath = "f.html" },
        BenchCase("header", "-H", "A: b") { $0.client.request.headers = ["A: b"] },
        BenchCase("subprotocol", "-s", "a,b") { $0.client.request.subprotocols = ["a", "b"] },
        BenchCase("auth", "-a", "u:p") { $0.client.request.auth = "u:p" },
        BenchCase("bearer", "--bearer", "t") { $0.client.request.bearer = "t" },
        BenchCase("digest", "--anyauth", "--digest") { $0.client.request.authentication = .digest },
        BenchCase("anyauth", "--digest", "--anyauth") { $0.client.request.authentication = .strongest },
        BenchCase("aws-sigv4", "--aws-sigv4", "eu-west-1:x") {
            $0.client.request.signatureScope = try? SignatureScope(parsing: "eu-west-1:x")
        },
        BenchCase("netrc", "--netrc") { $0.client.request.usesNetrc = true },
        BenchCase("cookie", "-b", "a=b", "-b", "jar") {
            $0.client.request.cookies = ["a=b"]
            $0.client.request.cookieFiles = ["jar"]
        },
        BenchCase("origin", "-o", "https://a") { $0.client.request.origin = "https://a" },
        BenchCase("host", "--host", "h") { $0.client.request.host = "h" },
        BenchCase("user-agent", "--user-agent", "x") { $0.client.request.userAgent = "x" },
        BenchCase("location", "-L") { $0.client.request.redirects = .untrusted },
        BenchCase("location-trusted", "--location-trusted") {
            $0.client.request.redirects = .trusted
        },
        BenchCase("max-redirects", "--max-redirects", "3") { $0.client.request.maximumRedirects = 3 },
        BenchCase("ipv4", "-4") { $0.client.network.addressFamily = .ipv4 },
        BenchCase("ipv6", "-6") { $0.client.network.addressFamily = .ipv6 },
        BenchCase("resolve", "--resolve", "a:1:::1") { $0.client.network.resolve = ["a:1:::1"] },
        BenchCase("source-ip", "--source-ip", "::1") { $0.client.network.sourceIPs = ["::1"] },
        BenchCase("unix-socket", "--unix-socket", "/s") { $0.client.network.unixSocket = "/s" },
        BenchCase("connect-timeout", "--connect-timeout", "2s") {
            $0.client.network.connectTimeouts.whole = .seconds(2)
        },
        BenchCase("proxy", "--proxy", "http://p") { $0.client.network.proxy = "http://p" },
        BenchCase("proxy-digest", "--proxy-digest") { $0.client.network.proxyAuthentication = .digest },
        BenchCase("proxy-anyauth", "--proxy-anyauth") { $0.client.network.proxyAuthentication = .strongest },
        BenchCase("no-proxy", "--no-proxy", "*") { $0.client.network.noProxy = "*" },
        BenchCase("ca", "--ca", "c.pem") { $0.client.tls.authorities = "c.pem" },
        BenchCase("cert", "--cert", "c.pem") { $0.client.tls.certificate = "c.pem" },
        BenchCase("key", "--key", "k.pem", "--cert=c.pem") {
            $0.client.tls.key = "k.pem"
            $0.client.tls.certificate = "c.pem"
        },
        BenchCase("passphrase", "--passphrase", "x", "--cert=c.pem") {
            $0.client.tls.passphrase = "x"
            $0.client.tls.certificate = "c.pem"
        },
        BenchCase("insecure", "-k") { $0.client.tls.isInsecure = true },
        BenchCase("pin", "--pin", aPin) { $0.client.tls.pins = aPinValue },
        BenchCase("tls-server-name", "--tls-server-name", "n") { $0.client.tls.serverName = "n" },
        BenchCase("tls-resume", "--tls-resume") { $0.load.connections.resumesTLS = true },
        BenchCase("tls-min", "--tls-min", "1.3") { $0.client.tls.minimumVersion = .tls13 },
        BenchCase("compress", "--compress") { $0.client.compression.compresses = true },
        BenchCase("compress-window-bits", "--compress-window-bits", "9") {
            $0.client.compression.compressionWindowBits = 9
        },
        BenchCase("compress-no-context", "--compress-no-context") {
            $0.client.compression.compressionKeepsContext = false
        },
        BenchCase("max-message-size", "--max-message-size", "1k") { $0.client.limits.maximumMessageBytes = 1024 },
        BenchCase("max-fragments", "--max-fragments", "5") { $0.client.limits.maximumFragments = 5 },
        BenchCase("fragment-size", "--fragment-size", "5") { $0.client.limits.fragmentBytes = 5 },
        BenchCase("close-code", "--close-code", "3000") { $0.client.closeFrame.closeCode = 3000 },
        BenchCase("close-reason", "--close-reason", "r") { $0.client.closeFrame.closeReason = "r" },
        BenchCase("close-timeout", "--close-timeout", "1s") { $0.client.limits.closeTimeout = .seconds(1) },
        BenchCase("quiet", "-q") { $0.display.isQuiet = true },
        BenchCase("plain", "--plain") { $0.display.isPlain = true },
        BenchCase("color", "--color", "never") { $0.display.color = .never },
    ]

    static let mergeCases: [MergeCase] = [
        MergeCase("output", "--output", "json") { $0.result.output = .json },
        MergeCase("threshold", "--threshold", "p99<20ms") { $0.result.thresholds = aThreshold },
        MergeCase("accept-inconclusive", "--accept-inconclusive") { $0.result.acceptsInconclusive = true },
        MergeCase("baseline", "--baseline", "b.json", "--baseline", "c.json") {
            $0.result.baselinePaths = ["b.json", "c.json"]
        },
        MergeCase("title", "--title", "t") { $0.result.title = "t" },
        MergeCase("label", "--label", "a=1", "--label", "a=b=2") { $0.result.labels = ["a": "b=2"] },
        MergeCase("junit", "--junit", "f.xml") { $0.result.junitPath = "f.xml" },
        MergeCase("summary", "--summary", "f.md") { $0.result.summaryPath = "f.md" },
        MergeCase("hdr", "--hdr", "f.hlog") { $0.result.histogramPath = "f.hlog" },
        MergeCase("report", "--report", "f.html") { $0.result.reportPath = "f.html" },
        MergeCase("quiet", "-q") { $0.display.isQuiet = true },
        MergeCase("plain", "--plain") { $0.display.isPlain = true },
        MergeCase("color", "--color", "never") { $0.display.color = .never },
    ]

    static let convertCases: [ConvertCase] = [
        ConvertCase("connection", "--connection", "2") { $0.connection = 2 },
        ConvertCase("list", "--list") { $0.isListing = true },
        ConvertCase("quiet", "-q") { $0.display.isQuiet = true },
        ConvertCase("color", "--color", "never") { $0.display.color = .never },
    ]

    private static let aThreshold = (try? [Threshold("p99<20ms")]) ?? []
    private static let anotherThreshold = (try? [Threshold("errors=0")]) ?? []
}
