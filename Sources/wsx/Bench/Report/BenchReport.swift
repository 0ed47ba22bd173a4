import Formats
import WSCore

/// The page of `--report`: the results of a load test in figures, charts and tables, all in one file that loads nothing.
///
/// The script in the page draws everything, from one object that stands in it as data.
enum BenchReport {
    /// The modules of the script, each after those that it imports.
    static let modules: [(name: String, source: [UInt8])] = [
        ("chart.js", PackageResources.chart_js), ("report.js", PackageResources.report_js),
    ]

    private static let policyLine = #"<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"#
    private static let dataLine = #"<script type="application/json" id="data"></script>"#

    /// The page of some results.
    /// - Parameter judgement: What is thought of them.
    static func html(of results: borrowing BenchResults, _ judgement: BenchJudgement = BenchJudgement()) -> String {
        let page = EmbeddedPage(
            html: PackageResources.report_html, style: PackageResources.report_css,
            modules: modules.map { $0.source })
        let policy =
            ["default-src 'none'"] + page.ownSources + [
                "img-src data:", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
                "trusted-types 'none'",
            ]
        return page.text(replacing: [
            policyLine:
                #"<meta http-equiv="Content-Security-Policy" content="\#(policy.joined(separator: "; "))">"#,
            dataLine:
                #"<script type="application/json" id="data">\#(markupFree(data(of: results, judgement)))</script>"#,
        ])
    }

    /// JSON with the same meaning in which nothing ends a script element, or begins what else HTML reads within one, and
    /// no script takes anything for the end of a line. Outside of strings JSON has none of these characters.
    static func markupFree(_ json: String) -> String {
        var escaped = ""
        for scalar in json.unicodeScalars {
            switch scalar {
            case "<": escaped += "\\u003c"
            case ">": escaped += "\\u003e"
            case "&": escaped += "\\u0026"
            case "\u{2028}": escaped += "\\u2028"
            case "\u{2029}": escaped += "\\u2029"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// What the page is drawn from: the results, and what is not in them.
    private static func data(of results: borrowing BenchResults, _ judgement: BenchJudgement) -> String {
        var json = JSONWriter()
        json.add("things", results.description.mode.countedThings)
        json.beginArray("facts")
        for (name, value) in facts(of: results) + judgement.verdicts.map(fact) {
            json.beginElement()
            json.add("name", name)
            json.add("value", value)
            json.endObject()
        }
        json.endArray()
        json.beginArray("curve")
        for point in PercentileCurve.points(of: results.latencies) {
            json.beginElement()
            json.add("one_of", point.oneOf, digits: 2)
            json.add("us", Double(point.value) / 1000, digits: 3)
            json.endObject()
        }
        json.endArray()
        json.beginArray("bars")
        for bucket in LatencyBuckets.buckets(of: results.latencies) {
            json.beginElement()
            json.add("from_us", bucket.start / 1000, digits: 4)
            json.add("to_us", bucket.end / 1000, digits: 4)
            json.add("replies", Int(clamping: bucket.count))
            json.endObject()
        }
        json.endArray()
        json.beginObject("results")
        results.add(to: &json, judgement, hasHistogramOfEachSecond: false)
        json.endObject()
        json.endObject()
        return json.text.string
    }

    private static func fact(of verdict: Threshold.Verdict) -> (name: String, value: String) {
        let expression = escapingControls(verdict.threshold.expression)
        return ("Threshold", "\(expression) is \(verdict.isMet ? "met" : "not met"): \(verdict.words)")
    }

    /// What was run, for people.
    private static func facts(of results: borrowing BenchResults) -> [(name: String, value: String)] {
        let description = results.description
        let start = CalendarTime(results.startTime, in: .utc)
        let date = "\(padded(start.year, to: 4))-\(padded(start.month))-\(padded(start.day))"
        let clock = "\(padded(start.hour)):\(padded(start.minute)):\(padded(start.second))"
        let message = description.message.map { message in
            let size = message.byteCount.map { "\(Phrase.count($0, "byte")) each" } ?? "of different sizes"
            return "\(message.kind == .text ? "text" : "binary"), \(size)"
        }
        let optional: [(name: String, value: String?)] = [
            ("Messages", message),
            ("In flight", description.inFlight.map { "\(ResultWords.count($0)) on each connection" }),
            ("Rate asked", description.rateAsked.map { "\(ResultWords.count($0)) a second" }),
        ]
        return [
            ("URL", escapingControls(description.url)),
            ("Mode", description.mode.rawValue),
            ("Connections", ResultWords.count(description.connections)),
            ("Threads", ResultWords.count(description.threads)),
        ] + optional.compactMap { fact in fact.value.map { (fact.name, $0) } } + [
            ("Started", "\(date) \(clock) UTC"),
            ("Duration", "\(FixedPoint.text(results.duration / .seconds(1), digits: 3)) s"),
            ("Processor time", "\(FixedPoint.text(results.loadProcessorTime / .seconds(1), digits: 3)) s of wsx"),
            ("Program", "wsx \(version)"),
        ]
    }
}
