import Formats
import WSCore

// What travels is shown and kept, and looked back at.
extension ConnectRepl {
    /// The most messages that are listed.
    private static let maximumFound = 100
    /// How long is searched.
    private static let maximumSearchTime = Duration.seconds(2)

    /// Keeps a message, and shows it unless it is filtered out.
    /// - Parameters:
    ///   - note: What is said about it.
    ///   - isShown: Whether the terminal is where it goes.
    func show(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, note: String = "",
        isShown: Bool = true
    ) {
        let number = log.add(payload, as: kind, direction, at: run.transcript.clock.now)
        guard isShown else { return }
        guard filter?.pattern.matches(payload) ?? true else {
            filter?.hiddenCount += 1
            return
        }
        let message = run.transcript.message(payload, as: kind, direction, number: number, note: note)
        if message.isFolded { lastFolded = number }
        run.console.show(message.text)
    }

    /// Shows a message whole; nil: the last that was folded, or the last.
    func showMessage(_ number: Int?) {
        guard let entry = entry(number ?? lastFolded ?? log.lastNumber) else { return }
        run.console.show(run.transcript.whole(entry))
        if entry.isCut { sayCut(entry) }
        // The next time, another may be meant.
        if number == nil { lastFolded = nil }
    }

    /// Lists the messages in which something is found.
    func find(_ source: String) {
        guard let pattern = pattern(source, for: "find") else { return }
        let start = run.loop.now
        var lines: [String] = []
        var isPartial = false
        for entry in log.kept.reversed() {
            guard lines.count < Self.maximumFound, run.loop.now - start < Self.maximumSearchTime else {
                isPartial = true
                break
            }
            let match = entry.payload.withUnsafeBytes { pattern.firstMatch(in: $0.bytes) }
            if let match { lines.append(run.transcript.found(entry, at: match)) }
        }
        run.console.show(lines.reversed().joined())
        let rest = isPartial ? "; older ones were not searched" : ""
        run.console.notice("\(Phrase.count(lines.count, "message")) found\(rest).")
    }

    /// Hides what does not match from now on; nil: nothing any more.
    func setFilter(_ source: String?) {
        let before = filter
        guard let source else {
            filter = nil
            return run.console.notice(
                before.map {
                    "All messages are shown again; \(Phrase.count($0.hiddenCount, "message")) had been hidden."
                }
                    ?? "There is no filter.")
        }
        guard let pattern = pattern(source, for: "filter") else { return }
        filter = (pattern, 0)
        run.console.notice("Only messages that match \(escapingControls(source)) are shown; /filter alone ends this.")
    }

    private func pattern(_ source: String, for command: String) -> Pattern? {
        do throws(PatternError) {
            let pattern = try Pattern(source)
            run.console.watch(pattern)
            return pattern
        } catch {
            run.console.error("/\(command): '\(escapingControls(source))' is no regular expression: \(error)")
            return nil
        }
    }

    /// Puts a message's bytes into a file.
    func save(to path: String, _ number: Int?) {
        let path = UserFiles.expandingHome(path)
        guard let number = number ?? log.kept.last(where: { $0.direction == .received })?.number else {
            return run.console.error("nothing has been received that could be saved")
        }
        guard let entry = entry(number) else { return }
        let shownPath = escapingControls(path)
        do throws(IOError) {
            let bytes = entry.payload
            try File.create(bytes.span.bytes, at: path)
        } catch {
            let hint = error == .fileExists ? "; another name saves it" : ""
            return run.console.error("saving message \(number) to \(shownPath): \(error)\(hint)")
        }
        run.console.notice("Message \(number) is in \(shownPath): \(TrafficReport.size(entry.payload.count)).")
        if entry.isCut { sayCut(entry) }
    }

    private func entry(_ number: Int) -> MessageLog.Entry? {
        if let entry = log.entry(number) { return entry }
        switch (log.kept.first, log.kept.last) {
        case (let first?, let last?):
            run.console.error("there is no message \(number); those from \(first.number) to \(last.number) are kept")
        default: run.console.error("there has been no message yet")
        }
        return nil
    }

    private func sayCut(_ entry: MessageLog.Entry) {
        run.console.error(
            "message \(entry.number): only the first \(TrafficReport.size(entry.payload.count)) of "
                + "\(TrafficReport.size(entry.byteCount)) were kept")
    }
}
