import Conformance
import Conversation
import Formats
import UserInterface
import WSCore

/// The results of a run for one peer.
struct CheckReport {
    struct Result {
        let item: Case
        let result: CaseResult
        let duration: Duration
        /// Whether `--expect` lists the case.
        let isExpectedToFail: Bool

        var milliseconds: Int { Int(duration / .milliseconds(1)) }
    }

    let agent: String
    let role: PeerRole
    private let secrets: SecretRecord
    private let expected: [Glob]
    private(set) var results: [Result] = []
    /// Whether the server echoes, or `nil` if that is not known.
    var echoes: Bool?

    /// - Parameter secrets: What the peer may send back, and the results must not show.
    init(agent: String, role: PeerRole, expected: [Glob], secrets: SecretRecord) {
        self.secrets = secrets
        self.agent = agent
        self.role = role
        self.expected = expected
    }

    mutating func add(_ item: Case, _ result: CaseResult, _ duration: Duration = .zero) {
        var result = result
        if result.verdict == .failed { result.log.seal(secrets.masking) } else { result.log = FrameLog() }
        // A client may ask for a case again.
        results.removeAll { $0.item.id == item.id }
        results.append(
            Result(
                item: item, result: result, duration: duration,
                isExpectedToFail: expected.contains { $0.matches(item.id) }))
    }

    /// Adds the cases that a client has not asked for before it asked for the results.
    mutating func addMissing(of cases: [Case]) {
        let played = Set(results.map(\.item.id))
        for item in cases where !played.contains(item.id) {
            add(item, .failed("the client has not asked for this case"))
        }
    }

    /// The name of the peer, which may come from it.
    var shownAgent: String { escapingControls(agent) }

    func count(_ verdict: Verdict) -> Int { results.count { $0.result.verdict == verdict } }

    /// The failure of the run, or `nil` if all failures were expected.
    static func failure(of reports: [CheckReport]) -> Failure? {
        let results = reports.flatMap(\.results)
        let count = results.count { $0.result.verdict == .failed && !$0.isExpectedToFail }
        if count > 0 { return .failedCases(count, of: results.count) }
        return results.allSatisfy { $0.result.verdict == .skipped } ? .nothingChecked : nil
    }

    /// Writes the results of each peer to standard output and to files. Returns a failure to do so.
    static func write(
        _ reports: [CheckReport], _ settings: CheckSettings, _ files: CheckFiles, diagnostics: Diagnostics
    ) -> Failure? {
        let sections = settings.cases.files
        let sorted = reports.map { $0.sorted(by: sections) }
        diagnostics.eraseStatus()
        let text = sorted.map { settings.arguments.isJSON ? $0.json : $0.text(sections, diagnostics) }.joined()
        if let error = StandardDescriptors.writeAll(text, to: StandardDescriptors.output), error != .brokenPipe {
            return .output(error)
        }
        let areAllPassed = reports.allSatisfy { $0.results.allSatisfy { $0.result.verdict == .passed } }
        if diagnostics.terminal != nil, !areAllPassed, !settings.arguments.isJSON {
            diagnostics.notice("wsx check --explain ID says what a case sends, and what a failure means")
        }
        do throws(Failure) {
            try files.writeJUnit(Self.junit(sorted))
            try files.writeReport(ResultsPage(of: sorted, settings).text, diagnostics: diagnostics)
            if let path = settings.arguments.autobahnPath { try Self.writeAutobahn(sorted, to: path) }
        } catch {
            return error
        }
        return nil
    }

    /// The results in the order of the cases.
    private func sorted(by sections: [CaseFile]) -> CheckReport {
        var positions: [String: Int] = [:]
        for (index, item) in sections.flatMap(\.cases).enumerated() { positions[item.id] = index }
        var copy = self
        copy.results.sort { positions[$0.item.id, default: 0] < positions[$1.item.id, default: 0] }
        return copy
    }

    // MARK: Text

    private func text(_ sections: [CaseFile], _ diagnostics: Diagnostics) -> String {
        let palette = diagnostics.colors(on: StandardDescriptors.output)
        var text = ""
        for section in sections {
            let own = results.filter { $0.item.section == section.section }
            guard !own.isEmpty else { continue }
            text += "\(section.section.padded(to: 3)) \(section.title.padded(to: 40)) \(Self.counts(own, palette))\n"
        }
        for result in results where result.result.verdict == .failed && !result.isExpectedToFail {
            text += "\n" + block(result, palette)
        }
        let notes = results.filter { [.nonStrict, .informational].contains($0.result.verdict) }
        if !notes.isEmpty { text += "\n" }
        for note in notes {
            text += "\(note.result.verdict.rawValue) \(note.item.id) \(note.item.title): \(note.result.reason)\n"
        }
        for reason in Set(results.filter { $0.result.verdict == .skipped }.map(\.result.reason)).sorted() {
            let own = results.filter { $0.result.verdict == .skipped && $0.result.reason == reason }
            text += "skipped \(Phrase.count(own.count, "case")): \(reason)\n"
        }
        for result in results where result.isExpectedToFail && result.result.verdict != .failed {
            text += "\(result.item.id) is expected to fail, but is \(result.result.verdict.rawValue)\n"
        }
        return text + "\n" + sentence + "\n"
    }

    /// Such as "517 cases: 514 passed, 3 informational".
    var sentence: String {
        let known = results.count { $0.result.verdict == .failed && $0.isExpectedToFail }
        let parts = Verdict.allCases.compactMap { verdict -> String? in
            let number = count(verdict)
            guard number > 0 || verdict == .failed else { return nil }
            let note = verdict == .failed && known > 0 ? " (\(known) expected)" : ""
            return "\(number) \(verdict.rawValue)\(note)"
        }
        let ending = results.count { $0.result.close.map { $0 != .ok } ?? false }
        let endings =
            ending > 0
            ? "; \(Phrase.count(ending, "connection")) did not end as \(ending == 1 ? "it" : "they") should" : ""
        return "\(shownAgent): \(Phrase.count(results.count, "case")), \(parts.joined(separator: ", "))"
            + endings
    }

    private static func counts(_ results: [Result], _ palette: Palette) -> String {
        Verdict.allCases.compactMap { verdict -> String? in
            let count = results.count { $0.result.verdict == verdict }
            guard count > 0 else { return nil }
            let text = "\(count) \(verdict.rawValue)"
            return verdict == .failed ? palette.failure(text) : text
        }.joined(separator: ", ")
    }

    private func block(_ result: Result, _ palette: Palette) -> String {
        let item = result.item
        var text = palette.failure("failed \(item.id)") + " \(item.title)\n"
        text += "  RFC \(result.result.reference ?? item.reference): \(result.result.reason)\n"
        text += "  expected: \(item.expectation)\n"
        if !item.consequence.isEmpty { text += "  \(item.consequence)\n" }
        for entry in result.result.log.entries { text += "  \(Self.line(entry))\n" }
        if result.result.log.omittedCount > 0 {
            text += "  … and \(Phrase.count(result.result.log.omittedCount, "more frame"))\n"
        }
        return text
    }

    /// A frame: `> text, 5 bytes: Hello`. Bytes that are no text are shown as hexadecimal digits.
    private static func line(_ entry: FrameLog.Entry) -> String {
        let cut = entry.payload.count < entry.byteCount ? "…" : ""
        let payload: String =
            String(validating: entry.payload, as: UTF8.self).map { escapingControls($0) }
            ?? hexadecimal(entry.payload)
        return "\(entry.isSent ? ">" : "<") \(entry.kind), \(Phrase.count(entry.byteCount, "byte"))"
            + (payload.isEmpty ? "" : ": \(payload)\(cut)")
    }

    fileprivate static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: Formats for programs

    /// One object on a line, as in docs/schemas/check.json.
    var json: String {
        var writer = JSONWriter()
        writer.add("version", 1)
        writer.add("agent", agent)
        writer.add("role", role.rawValue)
        if let echoes { writer.add("echoes", echoes) }
        writer.beginArray("cases")
        for result in results {
            writer.beginElement()
            writer.add("id", result.item.id)
            writer.add("title", result.item.title)
            writer.add("verdict", result.result.verdict.rawValue)
            if let close = result.result.close { writer.add("close", close.rawValue) }
            if !result.result.reason.isEmpty { writer.add("reason", result.result.reason) }
            writer.add("ms", result.milliseconds)
            if ![.passed, .skipped].contains(result.result.verdict) { result.addDetails(to: &writer) }
            writer.endObject()
        }
        writer.endArray()
        return writer.finished
    }

    /// One suite. With several peers, the names of checks begin with theirs.
    private static func junit(_ reports: [CheckReport]) -> String {
        var suite = JUnitSuite(name: reports.count == 1 ? reports[0].shownAgent : "wsx check")
        for report in reports {
            for result in report.results {
                let outcome: JUnitSuite.Outcome =
                    switch result.result.verdict {
                    case .failed where result.isExpectedToFail, .skipped: .skipped
                    case .failed: .failed(reason: result.result.reason)
                    case .passed, .nonStrict, .informational: .passed
                    }
                let name = "\(result.item.id) \(result.item.title)"
                suite.add(
                    reports.count == 1 ? name : "\(report.shownAgent): \(name)", outcome,
                    nanoseconds: UInt64(result.milliseconds) * 1_000_000)
            }
        }
        return suite.text
    }
}

extension CheckReport.Result {
    /// Adds what explains another verdict than passed.
    fileprivate func addDetails(to writer: inout JSONWriter) {
        if result.verdict == .failed, isExpectedToFail { writer.add("known", true) }
        item.addTexts(to: &writer, reference: result.reference)
        guard !result.log.entries.isEmpty else { return }
        writer.beginArray("frames")
        for entry in result.log.entries {
            writer.beginElement()
            writer.add("sent", entry.isSent)
            writer.add("kind", entry.kind)
            writer.add("bytes", entry.byteCount)
            if let text = String(validating: entry.payload, as: UTF8.self) {
                writer.add("text", text)
            } else {
                writer.add("hex", CheckReport.hexadecimal(entry.payload))
            }
            writer.endObject()
        }
        writer.endArray()
        if result.log.omittedCount > 0 { writer.add("omitted_frames", result.log.omittedCount) }
    }
}

extension Case {
    /// The outcomes that it accepts.
    var expectation: String { outcomes.map(\.text).joined(separator: "; or ") }

    /// Adds what is true for all peers.
    /// - Parameter reference: The place in an RFC that a peer violated; `nil`: that of the case.
    func addTexts(to writer: inout JSONWriter, reference: String? = nil) {
        writer.add("rfc", reference ?? self.reference)
        writer.add("expected", expectation)
        if !consequence.isEmpty { writer.add("consequence", consequence) }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
