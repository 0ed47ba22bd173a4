import Conformance
import Formats
import UserInterface
import WSCore

// The files of the Autobahn TestSuite, as scripts read them: behavior and behaviorClose of each case.
extension CheckReport {
    /// Writes `index.json` and a file per case.
    /// - Throws: ``Failure/writing(path:_:)``.
    static func writeAutobahn(_ reports: [CheckReport], to directory: String) throws(Failure) {
        var index = JSONWriter()
        var names: Set<String> = []
        for report in reports {
            index.beginObject(named: report.agent)
            var agent = fileName(report.agent)
            while !names.insert(agent).inserted { agent += "_" }
            for result in report.results {
                let name = "\(agent)_case_\(fileName(result.item.id)).json"
                index.beginObject(named: result.item.id)
                result.addVerdicts(to: &index)
                index.add("reportfile", name)
                index.endObject()
                try CheckFiles.write(result.text(agent: report.agent), to: "\(directory)/\(name)")
            }
            index.endObject()
        }
        try CheckFiles.write(index.finished, to: "\(directory)/index.json")
    }

    /// A name, reduced to at most 100 letters and digits.
    private static func fileName(_ name: String) -> String {
        name.prefix(100).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0).lowercased() : "_" }.joined()
    }
}

extension CheckReport.Result {
    fileprivate func text(agent: String) -> String {
        var file = JSONWriter()
        file.add("agent", agent)
        file.add("id", item.id)
        file.add("description", item.title)
        file.add("expectation", item.expectation)
        addVerdicts(to: &file)
        file.add("result", result.reason)
        return file.finished
    }

    fileprivate func addVerdicts(to writer: inout JSONWriter) {
        writer.add("behavior", result.verdict.autobahnName)
        writer.add("behaviorClose", result.autobahnClose)
        writer.add("duration", milliseconds)
    }
}

extension Verdict {
    /// The name in the files of the Autobahn TestSuite.
    var autobahnName: String {
        switch self {
        case .passed: "OK"
        case .nonStrict: "NON-STRICT"
        case .informational: "INFORMATIONAL"
        case .failed: "FAILED"
        case .skipped: "UNIMPLEMENTED"
        }
    }
}

extension CaseResult {
    fileprivate var autobahnClose: String {
        switch (verdict, close) {
        case (.informational, _): "INFORMATIONAL"
        case (_, .ok): "OK"
        case (_, .wrongCode): "WRONG CODE"
        case (_, .unclean): "UNCLEAN"
        case (_, .notEnded): "FAILED BY CLIENT"
        case (.skipped, nil): "UNIMPLEMENTED"
        case (_, .failed), (_, nil): "FAILED"
        }
    }
}
