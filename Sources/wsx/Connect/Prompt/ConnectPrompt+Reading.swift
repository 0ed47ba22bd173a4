import Formats
import WSCore

// Showing, storing, and searching messages.
extension ConnectPrompt {
    /// The maximum number of messages listed by a search.
    private static let maximumFound = 100
    /// The time limit of a search.
    private static let maximumSearchTime = Duration.seconds(2)

    /// Stores a message, and shows it unless it is filtered out.
    /// - Parameters:
    ///   - note: A remark to show after the message.
    ///   - isShown: Whether messages are shown on the terminal.
    func show(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, note: String = "",
        isShown: Bool = true
    ) {
        let number = log.add(payload, as: kind, direction, at: transcript.clock.now)
        guard isShown else { return }
        guard filter?.pattern.matches(payload) ?? true else {
            filter?.hiddenCount += 1
            return
        }
        let message = transcript.message(payload, as: kind, direction, number: number, note: note)
        if message.isFolded { lastFolded = number }
        console.show(message.text)
    }

    /// Adds the words of a message to the completions.
    func remember(_ text: RawSpan) {
        editor.words.remember(text)
    }

    /// Shows a message in full: by default, the last folded message or else the last message.
    func showMessage(_ number: Int?) {
        guard let entry = entry(number ?? lastFolded ?? log.lastNumber) else { return }
        console.show(transcript.whole(entry))
        if entry.isCut { reportCut(entry) }
        // The next call without a number shows the last message.
        if number == nil { lastFolded = nil }
    }

    /// Lists the messages that match a regular expression.
    func find(_ source: String) {
        guard let pattern = pattern(source, for: "find") else { return }
        let start = loop.now
        var lines: [String] = []
        var isPartial = false
        for entry in log.kept.reversed() {
            guard lines.count < Self.maximumFound, loop.now - start < Self.maximumSearchTime else {
                isPartial = true
                break
            }
            let match = entry.payload.withUnsafeBytes { pattern.firstMatch(in: $0.bytes) }
            if let match { lines.append(transcript.found(entry, at: match)) }
        }
        console.show(lines.reversed().joined())
        let rest = isPartial ? "; older ones were not searched" : ""
        console.notice("\(Phrase.count(lines.count, "message")) found\(rest).")
    }

    /// Shows only matching messages from now on, or all messages if `source` is `nil`.
    func setFilter(_ source: String?) {
        let before = filter
        guard let source else {
            filter = nil
            return console.notice(
                before.map {
                    "All messages are shown again; \(Phrase.count($0.hiddenCount, "message")) had been hidden."
                }
                    ?? "There is no filter.")
        }
        guard let pattern = pattern(source, for: "filter") else { return }
        filter = (pattern, 0)
        console.notice("Only messages that match \(escapingControls(source)) are shown; /filter alone ends this.")
    }

    private func pattern(_ source: String, for command: String) -> Pattern? {
        do throws(PatternError) {
            let pattern = try Pattern(source)
            console.watch(pattern)
            return pattern
        } catch {
            console.error("/\(command): '\(escapingControls(source))' is no regular expression: \(error)")
            return nil
        }
    }

    /// Saves a message's payload to a file.
    func save(to path: String, _ number: Int?) {
        let path = UserFiles.expandingHome(path)
        guard let number = number ?? log.kept.last(where: { $0.direction == .received })?.number else {
            return console.error("nothing has been received that could be saved")
        }
        guard let entry = entry(number) else { return }
        let shownPath = escapingControls(path)
        do throws(IOError) {
            let bytes = entry.payload
            try File.create(bytes.span.bytes, at: path)
        } catch {
            let hint = error == .fileExists ? "; another name saves it" : ""
            return console.error("saving message \(number) to \(shownPath): \(error)\(hint)")
        }
        console.notice("Message \(number) is in \(shownPath): \(TrafficReport.size(entry.payload.count)).")
        if entry.isCut { reportCut(entry) }
    }

    private func entry(_ number: Int) -> MessageLog.Entry? {
        if let entry = log.entry(number) { return entry }
        switch (log.kept.first, log.kept.last) {
        case (let first?, let last?):
            console.error("there is no message \(number); those from \(first.number) to \(last.number) are kept")
        default: console.error("there has been no message yet")
        }
        return nil
    }

    private func reportCut(_ entry: MessageLog.Entry) {
        console.error(
            "message \(entry.number): only the first \(TrafficReport.size(entry.payload.count)) of "
                + "\(TrafficReport.size(entry.byteCount)) were kept")
    }

    // MARK: The connection

    /// Shows the requests and responses of the opening handshake.
    func showHeaders() {
        let heads = connection.heads
        guard !heads.isEmpty else { return console.error("/headers: there was no handshake yet") }
        for (line, direction) in heads { console.show(transcript.head(line, direction, isPast: true)) }
    }

    /// Shows the facts about the connection.
    func showInfo() {
        let facts = connection.facts
        let width = facts.map(\.name.count).max() ?? 0
        for (name, value) in facts {
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            let indentation = "\n" + String(repeating: " ", count: width + 2)
            let label = name + String(repeating: " ", count: width - name.count + 2)
            console.show(console.palette.quiet(label) + lines.joined(separator: indentation) + "\n")
        }
    }
}
