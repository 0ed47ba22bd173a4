import Conformance
import Formats
import UserInterface
import WSCore

/// The page of `--report`: the results of agents side by side, in one file that loads nothing.
///
/// The script in the page builds everything from a JSON object embedded in the page.
struct ResultsPage {
    let text: String

    private static let dataLine = #"<script type="application/json" id="data"></script>"#

    /// - Parameter reports: The results of this run. Those of `--results` follow them.
    init(of reports: [CheckReport], _ settings: CheckSettings) {
        let page = EmbeddedPage.checkResults
        let agents = reports.map(\.json) + settings.earlierResults.map(\.json)
        let ids = settings.earlierResults.reduce(into: Set(reports.flatMap { $0.results.map(\.item.id) })) {
            $0.formUnion($1.ids)
        }
        let program = Self.program(settings.cases, with: ids)
        let data = "{\"program\":\(program),\"agents\":[\(agents.joined(separator: ","))]}"
        text = page.text(replacing: [
            EmbeddedPage.policyLine: page.filePolicy,
            Self.dataLine: #"<script type="application/json" id="data">\#(EmbeddedPage.markupFree(data))</script>"#,
        ])
    }

    /// The sections, and the texts of the cases with these ids.
    private static func program(_ cases: CaseSet, with ids: Set<String>) -> String {
        var writer = JSONWriter()
        writer.beginArray("sections")
        for file in cases.files {
            writer.beginElement()
            writer.add("id", file.section)
            writer.add("title", file.title)
            writer.endObject()
        }
        writer.endArray()
        writer.beginArray("cases")
        for item in cases.cases where ids.contains(item.id) {
            writer.beginElement()
            writer.add("id", item.id)
            writer.add("title", item.title)
            item.addTexts(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        return writer.finished
    }
}

/// The results of an agent that an earlier run wrote with `--json`.
struct EarlierResults {
    let json: String
    let ids: [String]

    /// Reads a file with an object, or with an object on each line.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func read(_ path: String) throws(Failure) -> [EarlierResults] {
        let what = "--results \(escapingControls(path))"
        guard let text = String(validating: try HeaderFiles.text(of: path, for: "--results"), as: UTF8.self) else {
            throw .badArgument(what: what, why: "it is not UTF-8 text")
        }
        if let results = EarlierResults(text) { return [results] }
        var agents: [EarlierResults] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.allSatisfy(\.isWhitespace) {
            guard let results = EarlierResults(String(line)) else {
                throw .badArgument(what: "\(what), line \(index + 1)", why: "it is not a result of 'wsx check --json'")
            }
            agents.append(results)
        }
        guard !agents.isEmpty else { throw .badArgument(what: what, why: "it has no results") }
        return agents
    }

    /// Returns `nil` for anything but an object as in docs/schemas/check.json.
    private init?(_ text: String) {
        guard case .object(let members)? = try? JSONValue(parsing: Array(text.utf8).span.bytes),
            members["version"] == .number("1"), case .string? = members["agent"],
            case .array(let cases)? = members["cases"]
        else { return nil }
        json = text
        var ids: [String] = []
        for item in cases {
            guard case .object(let members) = item, case .string(let id)? = members["id"], Self.isCase(members) else {
                return nil
            }
            ids.append(id)
        }
        self.ids = ids
    }

    private static func isCase(_ members: [ExactString: JSONValue]) -> Bool {
        guard case .string? = members["title"], case .string(let word)? = members["verdict"],
            Verdict(rawValue: word) != nil
        else { return false }
        for name in ["close", "reason", "rfc", "expected", "consequence"] {
            switch members[ExactString(name)] {
            case nil, .string: break
            default: return false
            }
        }
        switch members["frames"] {
        case nil: return true
        case .array(let frames): return frames.allSatisfy { if case .object = $0 { true } else { false } }
        default: return false
        }
    }
}
