import Conversation
import Formats
import WSCore

/// The messages of a prompt: keeps and numbers them, shows those that pass the filters, and finds them again.
///
///     message ─► log ─► filters ─► pause ─► flood gate ─► transcript ─► terminal
///                 └─ /show /tail /find Ctrl-F /save
package final class MessageView {
    package let diagnostics: Diagnostics
    package let transcript: Transcript
    let loop: EventLoop
    /// The editor, or `nil` while there is no prompt.
    weak var editor: (any PromptEditor)?
    /// The messages so far.
    package private(set) var log = MessageLog()
    /// The number of the last message that was folded and has not been shown in full, or `nil`.
    private var lastFolded: Int?
    package var filters = MessageFilters()
    /// The messages that are kept, but not shown.
    package var hidden: HiddenMessages?
    let gate: DisplayGate
    var finding = Finding()
    /// The messages that were shown last, or `nil` to show whole messages.
    private var changes: MessageChanges?
    /// The locations of the values that make up the kind of a message; empty: the usual ones.
    private var kinds: [JSONPath] = []
    /// Whether the user has typed the messages that are being sent. They are shown in any case.
    package var isTyped = false
    /// Whether received messages are shown, as opposed to written to standard output.
    package let showsReceived: Bool
    /// What becomes of pings and pongs that nobody at the prompt waits for.
    enum PingDisplay: Equatable {
        case shown
        /// They are only counted.
        case hidden(count: Int)
    }
    var pings = PingDisplay.hidden(count: 0)
    /// Takes received messages that pass the filters, in place of the screen, or `nil` to show them.
    package var pipe: ((RawSpan) -> Void)?
    /// Saves all messages in the format that the extension of a path names. Returns false if it names none.
    package var saveSession: (_ path: String) -> Bool = { _ in false }
    /// Called when ``tags`` may have changed.
    var tagsDidChange: () -> Void = {}

    /// Creates a view without messages.
    /// - Parameters:
    ///   - path: The part of received messages to show, or `nil` to show all of them.
    ///   - showsReceived: Whether received messages are shown, as opposed to written to standard output.
    init(
        diagnostics: Diagnostics, transcript: Transcript, selecting path: JSONPath? = nil,
        showsReceived: Bool = true,
        on loop: EventLoop
    ) {
        if let path { filters.select(path) }
        self.showsReceived = showsReceived
        self.diagnostics = diagnostics
        self.transcript = transcript
        self.loop = loop
        gate = DisplayGate(diagnostics: diagnostics, on: loop)
    }

    // MARK: Showing

    /// Keeps a message, and shows it unless it is filtered out.
    /// - Parameters:
    ///   - client: The client's number, on a server.
    ///   - heading: The text before the message, or `nil` if there is none.
    /// - Returns: The message's number, and whether it was omitted because it has no value to select.
    @discardableResult
    package func show(
        _ payload: RawSpan, as kind: MessageKind, _ direction: Transcript.Direction, client: Int? = nil,
        heading: String? = nil, role: Transcript.Role = .plain
    ) -> (number: Int, isOmitted: Bool) {
        let moment = transcript.clock.now
        let number = log.add(payload, as: kind, direction, client: client, heading: heading, at: moment)
        finding.search?.messagesArrived()
        guard role != .hidden || filters.showsHidden else { return (number, false) }
        guard showsReceived || direction != .received else { return (number, false) }
        let isFiltered = direction == .received || (filters.includeSent && !isTyped)
        let origin = MessageOrigin(client: client, side: direction == .received ? .client : .server)
        let part = isFiltered ? part(of: payload, heading: heading, origin, role) : .whole
        if case .hidden(let filter) = part {
            tagsDidChange()
            return (number, filter == .selection)
        }
        if isFiltered, let pipe {
            if case .value(let value) = part { pipe(value.span.bytes) } else { pipe(payload) }
            return (number, false)
        }
        guard isTyped || gate.admits(at: moment.loopTime) else {
            if gate.pausedCount != nil { tagsDidChange() }
            return (number, false)
        }
        let lines =
            if case .value(let value) = part {
                value.withUnsafeBytes {
                    transcript.lines(
                        of: $0.bytes, as: .text, direction, number: number, client: client, heading: heading,
                        role: role, at: moment, highlighting: finding.highlight)
                }
            } else if let line = changes(in: payload, direction, client: client, heading: heading, role: role) {
                transcript.lines(
                    of: line.span.bytes, as: .text, direction, number: number, client: client, role: role, at: moment,
                    highlighting: finding.highlight)
            } else {
                transcript.lines(
                    of: payload, as: kind, direction, number: number, client: client, heading: heading, role: role,
                    at: moment, highlighting: finding.highlight)
            }
        if lines.isFolded { lastFolded = number }
        diagnostics.show(lines.text)
        return (number, false)
    }

    /// The part of a received message that passes the filters.
    private func part(
        of payload: RawSpan, heading: String?, _ origin: MessageOrigin, _ role: Transcript.Role
    ) -> MessageFilters.Part {
        let line = filters.isEmpty ? nil : heading.map { Array("\($0) ".utf8) + payload.withUnsafeBytes { Array($0) } }
        return filters.part(of: payload, line: line, from: origin, isError: role.isError)
    }

    /// The changes since the previous message of the same kind that was shown, on one line; `nil` to show the whole
    /// message. Replies are shown as a whole, because the user has asked for them.
    private func changes(
        in payload: RawSpan, _ direction: Transcript.Direction, client: Int?, heading: String?,
        role: Transcript.Role
    ) -> [UInt8]? {
        guard direction == .received, role == .plain || role == .notification,
            case .changes(let line)? = changes?.receive(payload, from: client, kind: heading)
        else { return nil }
        return Array(line.utf8)
    }

    /// Shows a typed message that has to wait, for example for an earlier reply. When it is sent, it is kept and gets
    /// its number.
    package func show(waiting payload: RawSpan, as kind: MessageKind) {
        guard isTyped else { return }
        diagnostics.show(
            transcript.lines(of: payload, as: kind, .queued, number: nil, at: transcript.clock.now).text)
    }

    /// Shows a ping or a pong, or only counts it.
    /// - Parameter isRequested: Whether the user has sent it, or waits for it.
    package func show(
        control opcode: Opcode, _ payload: RawSpan, _ direction: Transcript.Direction, client: Int? = nil,
        note: String = "", isRequested: Bool
    ) {
        if !isRequested, case .hidden(let count) = pings {
            pings = .hidden(count: count + 1)
            return
        }
        diagnostics.show(transcript.control(opcode, payload, direction, client: client, note: note))
    }

    // MARK: Looks

    /// Switches the layout of JSON; nil toggles it.
    func setPretty(_ style: PrettyStyle?) {
        let style = style ?? (transcript.layout.style == .fit ? .full : .fit)
        transcript.layout.style = style
        diagnostics.notice("JSON: \(style.summary).")
    }

    /// Shows changes instead of whole messages from now on.
    /// - Parameter kinds: The locations of the values that make up the kind of a message; empty: the usual ones.
    func showChanges(of kinds: [JSONPath]) {
        self.kinds = kinds
        changes = MessageChanges(kinds: kinds)
    }

    /// Switches between changes and whole messages; nil toggles.
    func setChanges(_ isOn: Bool?) {
        guard isOn ?? (changes == nil) else {
            changes = nil
            return diagnostics.notice("Showing whole messages.")
        }
        showChanges(of: kinds)
        diagnostics.notice("Showing only changes; /show N shows a whole message.")
    }

    /// Switches the display of pings and pongs; nil toggles it.
    func setPings(_ isOn: Bool?) {
        let shows = isOn ?? (pings != .shown)
        if shows != (pings == .shown) { pings = shows ? .shown : .hidden(count: 0) }
        diagnostics.notice(shows ? "Showing pings and pongs." : "Pings and pongs are only counted.")
    }

    /// Switches the timestamps; nil toggles between the time of day and the time since the start.
    func setTime(_ style: TimestampStyle?) {
        let style = style ?? (transcript.clock.style == .relative ? .local : .relative)
        transcript.clock.style = style
        diagnostics.notice("Times: \(style.summary).")
    }

    // MARK: Looking back

    /// Shows a message in full, in the pager if it is longer than the screen: by default, the last folded message or
    /// else the last message.
    func showMessage(_ number: Int?) {
        // The folded message may have been dropped since.
        let folded = lastFolded.flatMap { log.entry($0)?.number }
        guard let entry = entry(number ?? folded ?? log.lastNumber) else { return }
        let text = transcript.whole(entry, highlighting: finding.highlight)
        if let editor { editor.page(text) } else { diagnostics.show(text) }
        if entry.isCut { reportCut(entry) }
        // The next call without a number shows the last message.
        if number == nil { lastFolded = nil }
    }

    /// Explains a message, by default the last one: its facts, and the data inside its values.
    func inspect(_ number: Int?) {
        guard let entry = entry(number ?? log.lastNumber) else { return }
        let text = transcript.inspection(of: entry, after: log.entry(entry.number - 1), at: WallTime.now)
        if let editor { editor.page(text) } else { diagnostics.show(text) }
        if entry.isCut { reportCut(entry) }
    }

    /// Shows the latest messages, including those that were not shown when they arrived.
    func showTail(_ count: Int) {
        let entries = log.kept.suffix(count)
        guard !entries.isEmpty else { return diagnostics.error("no messages yet") }
        diagnostics.show(entries.map { transcript.lines(of: $0).text }.joined())
    }

    /// The dotted paths of the values in the latest received messages.
    var paths: [String] {
        var paths: Set<String> = []
        for entry in log.kept.suffix(Self.completedCount) where entry.direction == .received && !entry.isCut {
            guard entry.payload.count <= Self.completedBytes else { continue }
            paths.formUnion(JSONPath.paths(in: entry.payload.span.bytes))
        }
        return Array(paths)
    }

    /// The number of messages whose paths are completed, and their maximum size. They are read when Tab is pressed.
    private static let (completedCount, completedBytes) = (200, 64 << 10)

    /// Saves a message's payload to a file. Without a number, saves all messages if the path's extension names a format
    /// for that, and otherwise the last received one.
    /// - Parameter typedPath: The path as typed; it may begin with a tilde.
    func save(to typedPath: String, _ number: Int?) {
        if number == nil, saveSession(UserFiles.expandingHome(typedPath)) { return }
        guard let number = number ?? log.kept.last(where: { $0.direction == .received })?.number else {
            return diagnostics.error("/save: no message has been received yet")
        }
        guard let entry = entry(number) else { return }
        let path = UserFiles.expandingHome(typedPath)
        let shownPath = escapingControls(path)
        do throws(IOError) {
            let bytes = entry.payload
            try File.create(bytes.span.bytes, at: path)
        } catch {
            let hint = error == .fileExists ? "; use another name" : ""
            return diagnostics.error("saving message \(number) to \(shownPath): \(error)\(hint)")
        }
        diagnostics.notice("Saved message \(number) in \(shownPath) (\(TrafficReport.size(entry.payload.count))).")
        if entry.isCut { reportCut(entry) }
    }

    /// The message with a number. Reports if there is none.
    package func entry(_ number: Int) -> MessageLog.Entry? {
        if let entry = log.entry(number) { return entry }
        switch (log.kept.first, log.kept.last) {
        case (let first?, let last?):
            diagnostics.error("no message \(number); messages \(first.number) to \(last.number) are available")
        default: diagnostics.error("no messages yet")
        }
        return nil
    }

    /// Reports that only the beginning of a message is available.
    package func reportCut(_ entry: MessageLog.Entry) {
        diagnostics.error(
            "message \(entry.number): only the first \(TrafficReport.size(entry.payload.count)) of "
                + "\(TrafficReport.size(entry.byteCount)) are available")
    }
}
