import Formats
import WSCore

/// What the user of a prompt looks for.
struct Finding {
    /// The pattern of the last search, whose matches are highlighted in sent and received messages.
    var highlight: Pattern?
    /// The search that is open at the prompt.
    var search: MessageSearch?
    /// The text that was searched for last.
    var lastQuery = ""
}

// The searches in all available messages: `/find`, and Ctrl-F at the prompt.
extension MessageView {
    /// The maximum number of messages listed by a search.
    private static let maximumFound = 100
    /// The time limit of a search.
    private static let maximumSearchTime = Duration.seconds(2)

    /// Lists the messages that match a regular expression, and highlights matches in later messages. Stops highlighting
    /// if `source` is `nil`.
    func find(_ source: String?) {
        guard let source else {
            let had = finding.highlight != nil
            finding.highlight = nil
            return diagnostics.notice(
                had ? "Matches are no longer highlighted." : "/find REGEX lists matching messages.")
        }
        guard let pattern = pattern(source, for: "find") else { return }
        (finding.highlight, finding.lastQuery) = (pattern, source)
        let deadline = loop.now + Self.maximumSearchTime
        let (entries, limit) = latest(matching: pattern, until: deadline)
        diagnostics.show(entries.map { transcript.found($0, by: pattern) }.joined())
        let rest = limit ?? (entries.isEmpty ? suggestion(insteadOf: source, until: deadline) : nil)
        diagnostics.notice("Found \(Phrase.count(entries.count, "message"))\(rest.map { "; \($0)" } ?? "").")
    }

    /// The latest messages that match, oldest first, and the limit that ended the search, or `nil` if none did. What was
    /// received is searched before what is shown, which takes longer.
    private func latest(
        matching pattern: Pattern, until deadline: Duration
    ) -> (entries: [MessageLog.Entry], limit: String?) {
        var found: Set<Int> = []
        var limit: String?
        search: for searchesShown in [false, true] {
            for entry in log.kept.reversed() where !found.contains(entry.number) {
                guard found.count < Self.maximumFound else { break search }
                guard loop.now < deadline else {
                    limit = "the search stopped after 2 s"
                    break search
                }
                let isFound =
                    searchesShown ? entry.isMatchAsShown(of: pattern) : entry.isMatchAsReceived(of: pattern)
                if isFound { found.insert(entry.number) }
            }
        }
        if found.count >= Self.maximumFound { limit = "only the latest are listed" }
        return (found.sorted().compactMap { log.entry($0) }, limit)
    }

    /// A search that finds messages if this one found none: in any case, or for the text instead of a regular expression.
    private func suggestion(insteadOf source: String, until deadline: Duration) -> String? {
        let endsQuote = source.split(separator: "\\", omittingEmptySubsequences: false).dropFirst().contains {
            $0.hasPrefix("E")
        }
        let text = endsQuote ? nil : "\\Q\(source)\\E"
        let candidates = source.hasPrefix("(?i)") ? [text] : ["(?i)\(source)", text, text.map { "(?i)\($0)" }]
        for case let candidate? in candidates {
            guard let pattern = try? Pattern(candidate) else { continue }
            let (entries, limit) = latest(matching: pattern, until: deadline)
            guard entries.isEmpty else {
                return "/find \(escapingControls(candidate)) finds \(limit == nil ? "" : "at least ")\(entries.count)"
            }
        }
        return nil
    }

    func pattern(_ source: String, for command: String) -> Pattern? {
        do throws(PatternError) {
            let pattern = try Pattern(source)
            diagnostics.watch(pattern)
            return pattern
        } catch {
            diagnostics.error("/\(command): invalid regular expression '\(escapingControls(source))': \(error)")
            return nil
        }
    }

    /// Opens the incremental search at the prompt.
    func openSearch() -> MessageSearch {
        let search = MessageSearch(in: self, on: loop)
        finding.search = search
        return search
    }

    /// Ends the incremental search.
    /// - Parameters:
    ///   - query: The text that was searched for.
    ///   - match: The number of the message to show in full and the pattern to highlight, or `nil` to show none.
    func endSearch(for query: String, showing match: (number: Int, pattern: Pattern)?) {
        finding.search = nil
        if !query.isEmpty { finding.lastQuery = query }
        guard let (number, pattern) = match else { return }
        pattern.didGiveUp = { [weak diagnostics] in diagnostics?.reportLimit(ofSearching: query) }
        finding.highlight = pattern
        showMessage(number)
    }
}
