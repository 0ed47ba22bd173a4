import Formats
import LoadTest
import UserInterface
import WSCore

/// The page of `--report`: the results of a load test as figures, charts, and tables, in one file that loads nothing.
///
/// The script in the page draws everything from a JSON object embedded in the page.
enum BenchReport {
    private static let dataLine = #"<script type="application/json" id="data"></script>"#

    /// Builds the page for results.
    /// - Parameter judgement: The verdicts on the results.
    static func html(of results: BenchResults, _ judgement: BenchJudgement = BenchJudgement()) -> String {
        let page = EmbeddedPage.report
        return page.text(replacing: [
            EmbeddedPage.policyLine: page.filePolicy,
            dataLine:
                #"<script type="application/json" id="data">\#(EmbeddedPage.markupFree(results.reportData(judgement)))</script>"#,
        ])
    }
}
