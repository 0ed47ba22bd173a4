import Formats
import LoadTest
import WSCore

/// The page of `--report`: the results of a load test as figures, charts, and tables, in one file that loads nothing.
///
/// The script in the page draws everything from a JSON object embedded in the page.
enum BenchReport {
    /// The modules of the script, each after the modules it imports.
    static let modules = [
        .elements, .units, PageModule(name: "words.js", source: PackageResources.words_js),
        PageModule(name: "chart.js", source: PackageResources.chart_js),
        PageModule(name: "seconds.js", source: PackageResources.seconds_js),
        PageModule(name: "report.js", source: PackageResources.report_js),
    ]

    private static let dataLine = #"<script type="application/json" id="data"></script>"#

    /// Builds the page for results.
    /// - Parameter judgement: The verdicts on the results.
    static func html(of results: borrowing BenchResults, _ judgement: BenchJudgement = BenchJudgement()) -> String {
        let page = EmbeddedPage(
            html: PackageResources.report_html, styles: [PackageResources.base_css, PackageResources.report_css],
            modules: modules)
        return page.text(replacing: [
            EmbeddedPage.policyLine: page.filePolicy,
            dataLine:
                #"<script type="application/json" id="data">\#(EmbeddedPage.markupFree(results.reportData(judgement)))</script>"#,
        ])
    }
}
