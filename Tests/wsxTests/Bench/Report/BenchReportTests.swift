import Testing
import WSCore

@testable import Bench
@testable import LoadTest
@testable import UserInterface

@Suite struct BenchReportTests {
    private static func results(url: String = "ws://localhost/") -> BenchResults {
        var latencies = Histogram()
        for value in 1...100 as ClosedRange<UInt64> { latencies.record(value * 1000) }
        let second = BenchSecond(sent: 100, received: 100, latencies: latencies)
        return BenchResults(
            description: BenchDescription(
                mode: .echo, url: url, connections: 3, threads: 1,
                message: BenchDescription.Message(kind: .text, byteCount: 20), inFlight: 1, rateAsked: nil),
            tally: LoadTally(), latencies: latencies, seconds: [second],
            duration: .seconds(1), startTime: WallTime(seconds: 0, microseconds: 0))
    }

    /// The text between the tags of the data.
    private static func data(in page: String) throws -> String {
        let start = try #require(page.ranges(of: #"<script type="application/json" id="data">"#).first)
        let rest = page[start.upperBound...]
        return String(rest[..<(try #require(rest.ranges(of: "</script>").first)).lowerBound])
    }

    @Test(
        "The data contain no markup",
        arguments: [
            (#"{"a":"</script><!--<script>"}"#, #"{"a":"\u003c/script\u003e\u003c!--\u003cscript\u003e"}"#),
            ("{\"a\":\"\u{2028}\u{2029}&amp;é\"}", #"{"a":"\u2028\u2029\u0026amp;é"}"#),
            (#"{"a":[1,"b\\<"]}"#, #"{"a":[1,"b\\\u003c"]}"#),
        ])
    func escaping(json: String, expected: String) {
        #expect(EmbeddedPage.markupFree(json) == expected)
    }

    @Test(
        "A hostile text appears in the page only as data",
        arguments: ["</script>", "<!--", "\u{2028}", "<script>", "\u{202E}"])
    func hostile(text: String) throws {
        let harmless = BenchReport.html(of: Self.results())
        let page = BenchReport.html(of: Self.results(url: "ws://localhost/" + text))
        let (data, harmlessData) = (try Self.data(in: page), try Self.data(in: harmless))
        #expect(
            page.unicodeScalars.count - data.unicodeScalars.count
                == harmless.unicodeScalars.count - harmlessData.unicodeScalars.count)
        #expect(!data.unicodeScalars.contains { $0 == "<" || $0 == ">" || $0.isInvisible })
    }

    @Test("The data are the results without per-second histograms, the curve, and the bars")
    func data() throws {
        let data = try Self.data(in: BenchReport.html(of: Self.results()))
        #expect(data.hasPrefix(#"{"things":"replies","facts":[{"name":"URL","value":"ws://localhost/"},"#))
        #expect(data.contains(#""value":"1970-01-01 00:00:00 UTC""#))
        #expect(data.contains(#""curve":[{"one_of":1.00,"us":1.000},"#))
        #expect(data.contains(#"{"one_of":200.00,"us":100.000}]"#))
        #expect(data.contains(#""bars":[{"from_us":1.0000,"#))
        #expect(data.contains(#""results":{"result":{"passed":true,"reasons":[],"verdict":"passed"},"mode":"echo","#))
        // Once for all settings, and once for the connections.
        #expect(data.ranges(of: #"histogram":"HISTF"#).count == 3)
    }

    @Test("The page contains its style, script, policy, and data, and refers to no file")
    func joined() {
        let page = BenchReport.html(of: Self.results())
        for name in ["report.css", "report.js", "chart.js", "default-src 'self'"] {
            #expect(page.contains(name) == false, "\(name)")
        }
        #expect(page.contains("<style>\n:root {"))
        #expect(page.contains("\nclass Chart {"))
        #expect(page.split(separator: "\n").contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") } == false)
        #expect(page.contains(#"content="default-src 'none'; script-src 'sha256-"#))
    }

    @Test("Each import is on its own line and refers to an earlier module")
    func order() {
        var earlier: Set<Substring> = []
        for module in EmbeddedPage.report.modules {
            for line in EmbeddedPage.contents(of: module).split(separator: "\n")
            where line.hasPrefix("import ") {
                let name = line.dropLast("\";".count).split(separator: "/").last
                #expect(line.hasSuffix(".js\";") && name.map(earlier.contains) == true, "\(module): \(line)")
            }
            earlier.insert(module[...])
        }
    }
}
