import Conversation
import Formats
import WSCore

// The filters and the pause.
extension MessageView {
    /// The filters without numbers: `filter /error/ · where .price>50`; `nil` if there are none.
    var filterNames: String? { filters.names }

    /// The filters and the pause; empty if all messages are shown.
    var tags: [PromptTag] {
        let note = gate.pausedCount.map { $0 > 0 ? ", \(Phrase.grouped($0)) new" : "" }
        return filters.tags + (note.map { [PromptTag(name: "paused", note: $0)] } ?? [])
    }

    /// Shows only matching messages from now on, or all messages if `source` is `nil`.
    func setFilter(_ source: String?) {
        guard let source else { return remove(.pattern, hint: "No filter is set; /filter REGEX sets one.") }
        guard let pattern = pattern(source, for: "filter") else { return }
        filters.set(.pattern, label: "/\(MessageFilters.label(source))/") { payload, line in
            pattern.matches(line) || pattern.matches(shown: payload)
        }
        tagsDidChange()
        diagnostics.notice("Showing only messages that match \(escapingControls(source)); /filter shows all again.")
    }

    /// Shows only messages that meet a condition from now on, or all messages if it is `nil`.
    func setCondition(_ condition: JSONCondition?) {
        guard let condition else {
            return remove(.condition, hint: "No condition is set; for example, /where .price>50 sets one.")
        }
        do throws(PatternError) {
            let filter = try JSONFilter(condition)
            if let pattern = filter.pattern { diagnostics.watch(pattern) }
            filters.set(.condition, label: MessageFilters.label(condition.source)) { payload, _ in
                UTF8Validator.isValid(payload) && filter.matches(payload)
            }
        } catch {
            return diagnostics.error("/where: \(error)")
        }
        tagsDidChange()
        diagnostics.notice("Showing only messages with \(escapingControls(condition.source)); /where shows all again.")
    }

    /// Shows only messages of one client, or one side, from now on, or all messages if `origin` is `nil`.
    package func setOrigin(_ origin: MessageOrigin?) {
        guard let origin else {
            return remove(.origin, hint: "Messages of all clients are shown; for example, /only 3 shows those of one.")
        }
        filters.restrict(to: origin)
        tagsDidChange()
        diagnostics.notice("Showing only messages \(origin.words); /only shows all again.")
    }

    /// Shows only one value of each message from now on, or whole messages if `path` is `nil`.
    func setSelection(_ path: JSONPath?) {
        guard let path else {
            return remove(.selection, hint: "Whole messages are shown; for example, /pick .user.name shows one value.")
        }
        filters.select(path)
        tagsDidChange()
        diagnostics.notice(
            "Showing only \(escapingControls(path.source)) of each message; /pick shows whole messages again.")
    }

    private func remove(_ kind: MessageFilters.Kind, hint: String) {
        guard let filter = filters.remove(kind) else { return diagnostics.notice(hint) }
        tagsDidChange()
        let count = Phrase.count(filter.hiddenCount, "message")
        let what = filters.isEmpty ? "Showing all messages again" : "Removed the filter"
        diagnostics.notice("\(what); \(filter.label) hid \(count).")
    }

    /// Stops showing messages as they arrive, or shows them again.
    func togglePause() {
        guard let count = gate.pausedCount else {
            gate.pausedCount = 0
            tagsDidChange()
            return diagnostics.notice("Paused. Messages are kept; /pause shows new ones again.")
        }
        gate.pausedCount = nil
        tagsDidChange()
        let hint = count > 0 ? "; /tail \(min(count, MessageLog.maximumCount)) shows them" : ""
        let messages = "\(Phrase.grouped(count)) message\(count == 1 ? "" : "s")"
        diagnostics.notice("Showing messages again. \(messages) arrived meanwhile\(hint).")
    }
}
