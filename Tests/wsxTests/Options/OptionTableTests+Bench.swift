import LoadTest
import WSCore

@testable import wsx

extension OptionTableTests {
    static let benchCases: [BenchCase] = [
        BenchCase("connections", "-c", "1k") { $0.connectionCount = 1000 },
        BenchCase("mode", "--mode", "send") { $0.mode = .send },
        BenchCase("publishers", "--mode", "broadcast", "--publishers", "3") {
            $0.mode = .broadcast
            $0.publisherCount = 3
        },
        BenchCase("heartbeat", "--mode", "idle", "--heartbeat", "5s") {
            $0.mode = .idle
            $0.heartbeat = .seconds(5)
        },
        BenchCase("connect-rate", "--connect-rate", "100") { $0.connectRate = 100 },
        BenchCase("threads", "-t", "4") { $0.threadCount = 4 },
        BenchCase("rate", "-r", "20k") { $0.rate = 20_000 },
        BenchCase("ramp", "--ramp", "2s") { $0.ramp = .seconds(2) },
        BenchCase("start-at", "--start-at", "1970-01-01T00:00:05Z") { $0.start = .moment(.seconds(5)) },
        BenchCase("timeout", "--timeout", "1m") { $0.timeout = .seconds(60) },
        BenchCase("warmup", "--warmup", "500ms") { $0.warmup = .milliseconds(500) },
        BenchCase("duration", "-d", "30s") { $0.duration = .seconds(30) },
        BenchCase("messages", "-n", "1M") { $0.messageCount = 1_000_000 },
        BenchCase("in-flight", "--in-flight", "64") { $0.inFlight = 64 },
        BenchCase("reply-timeout", "--reply-timeout", "2s") { $0.replyTimeout = .seconds(2) },
        BenchCase("message", "-m", "hi") { $0.messages = [.text(MessageTemplate(literal: Array("hi".utf8)))] },
        BenchCase("file", "-f", "/x") { $0.messages = [.file("/x")] },
        BenchCase("size", "--size", "4k") { $0.sizeBytes = 4096 },
        BenchCase("binary", "--binary") { $0.payload = .binary },
        BenchCase("output", "--output", "json") { $0.output = .json },
        BenchCase("threshold", "--threshold", "p99<20ms", "--threshold", "errors=0") {
            $0.thresholds = aThreshold + anotherThreshold
        },
        BenchCase("baseline", "--baseline", "b.json", "--baseline", "c.json") {
            $0.baselinePaths = ["b.json", "c.json"]
        },
        BenchCase("hdr", "--hdr", "f.hlog") { $0.histogramPath = "f.hlog" },
        BenchCase("report", "--report", "f.html") { $0.reportPath = "f.html" },
        BenchCase("header", "-H", "A: b") { $0.headers = ["A: b"] },
        BenchCase("subprotocol", "-s", "a,b") { $0.subprotocols = ["a", "b"] },
        BenchCase("auth", "-a", "u:p") { $0.auth = "u:p" },
        BenchCase("bearer", "--bearer", "t") { $0.bearer = "t" },
        BenchCase("cookie", "-b", "a=b") { $0.cookies = ["a=b"] },
        BenchCase("origin", "-o", "https://a") { $0.origin = "https://a" },
        BenchCase("host", "--host", "h") { $0.host = "h" },
        BenchCase("user-agent", "--user-agent", "x") { $0.userAgent = "x" },
        BenchCase("location", "-L") { $0.followsRedirects = true },
        BenchCase("max-redirects", "--max-redirects", "3") { $0.maximumRedirects = 3 },
        BenchCase("ipv4", "-4") { $0.addressFamily = .ipv4 },
        BenchCase("ipv6", "-6") { $0.addressFamily = .ipv6 },
        BenchCase("resolve", "--resolve", "a:1:::1") { $0.resolve = ["a:1:::1"] },
        BenchCase("source-ip", "--source-ip", "::1") { $0.sourceIPs = ["::1"] },
        BenchCase("unix-socket", "--unix-socket", "/s") { $0.unixSocket = "/s" },
        BenchCase("connect-timeout", "--connect-timeout", "2s") { $0.connectTimeouts.whole = .seconds(2) },
        BenchCase("proxy", "--proxy", "http://p") { $0.proxy = "http://p" },
        BenchCase("no-proxy", "--no-proxy", "*") { $0.noProxy = "*" },
        BenchCase("ca", "--ca", "c.pem") { $0.tls.authorities = "c.pem" },
        BenchCase("cert", "--cert", "c.pem") { $0.tls.certificate = "c.pem" },
        BenchCase("key", "--key", "k.pem", "--cert=c.pem") {
            $0.tls.key = "k.pem"
            $0.tls.certificate = "c.pem"
        },
        BenchCase("passphrase", "--passphrase", "x", "--cert=c.pem") {
            $0.tls.passphrase = "x"
            $0.tls.certificate = "c.pem"
        },
        BenchCase("insecure", "-k") { $0.tls.isInsecure = true },
        BenchCase("pin", "--pin", aPin) { $0.tls.pins = aPinValue },
        BenchCase("tls-server-name", "--tls-server-name", "n") { $0.tls.serverName = "n" },
        BenchCase("tls-min", "--tls-min", "1.3") { $0.tls.minimumVersion = .tls13 },
        BenchCase("compress", "--compress") { $0.compresses = true },
        BenchCase("compress-window-bits", "--compress-window-bits", "9") { $0.compressionWindowBits = 9 },
        BenchCase("compress-no-context", "--compress-no-context") { $0.compressionKeepsContext = false },
        BenchCase("max-message-size", "--max-message-size", "1k") { $0.maximumMessageBytes = 1024 },
        BenchCase("max-fragments", "--max-fragments", "5") { $0.maximumFragments = 5 },
        BenchCase("fragment-size", "--fragment-size", "5") { $0.fragmentBytes = 5 },
        BenchCase("close-code", "--close-code", "3000") { $0.closeCode = 3000 },
        BenchCase("close-reason", "--close-reason", "r") { $0.closeReason = "r" },
        BenchCase("close-timeout", "--close-timeout", "1s") { $0.closeTimeout = .seconds(1) },
        BenchCase("quiet", "-q") { $0.isQuiet = true },
        BenchCase("color", "--color", "never") { $0.color = .never },
    ]

    static let mergeCases: [MergeCase] = [
        MergeCase("output", "--output", "json") { $0.output = .json },
        MergeCase("threshold", "--threshold", "p99<20ms") { $0.thresholds = aThreshold },
        MergeCase("baseline", "--baseline", "b.json", "--baseline", "c.json") {
            $0.baselinePaths = ["b.json", "c.json"]
        },
        MergeCase("hdr", "--hdr", "f.hlog") { $0.histogramPath = "f.hlog" },
        MergeCase("report", "--report", "f.html") { $0.reportPath = "f.html" },
        MergeCase("quiet", "-q") { $0.isQuiet = true },
        MergeCase("color", "--color", "never") { $0.color = .never },
    ]

    private static let aThreshold = (try? [Threshold("p99<20ms")]) ?? []
    private static let anotherThreshold = (try? [Threshold("errors=0")]) ?? []
}
