import Formats
import LoadTest
import WSCore

/// The page of `--report`: the results of a load test as figures, charts, and tables, in one file that loads nothing.
///
/// The script in the page draws everything from a JSON object embedded in the page.
enum BenchReport {
    /// The modules of the script, each after the modules it imports.
    static let modules: [(name: String, source: [UInt8])] = [
        ("chart.js", PackageResources.chart_js), ("report.js", PackageResources.report_js),
    ]

    private static let policyLine = #"<meta http-equiv="Content-Security-Policy" content="default-src 'self'">"#
    private static let dataLine = #"<script type="application/json" id="data"></script>"#

    /// Builds the page for results.
    /// - Parameter judgement: The verdicts on the results.
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
                #"<script type="application/json" id="data">\#(markupFree(results.reportData(judgement)))</script>"#,
        ])
    }

    /// Escapes characters of a JSON text with a meaning in HTML or line ends in scripts. The JSON value stays the same.
    /// Outside strings, JSON contains none of these characters.
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
}
