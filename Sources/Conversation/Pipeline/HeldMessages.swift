import Formats
import WSCore

/// A message that waits for a user, after rules have edited it.
package struct HeldMessage {
    let waiting: WaitingMessage
    private let origins: MessageRecords.KeptOrigins
    let edits: [RecordEdit]
    /// What would have been passed on.
    let forwarding: RecordEdit
    /// Whether records that change can be encoded again.
    let isReversible: Bool

    init(
        _ message: RawSpan, as kind: MessageKind, _ how: Decoding?, _ records: borrowing MessageRecords,
        _ edits: [RecordEdit], _ forwarding: RecordEdit, isReversible: Bool
    ) {
        waiting = WaitingMessage(message, kind, how, records: DecodingStage.copy(records, of: message))
        origins = records.keptOrigins
        (self.edits, self.forwarding, self.isReversible) = (edits, forwarding, isReversible)
    }

    /// The records as they were decoded.
    func makeRecords() -> MessageRecords {
        var records = MessageRecords()
        for record in waiting.records {
            records.append(record.payload.span.bytes, isText: record.isText, piece: record.piece)
        }
        records.keep(origins)
        return records
    }

    /// Whether the user sees and edits the decoded form.
    var isShownDecoded: Bool {
        if isReversible, waiting.records.count == 1, case .decoded? = waiting.decoding?.result { true } else { false }
    }

    /// The codecs that have decoded ``shown``, or `nil` if it is as received.
    package var codecs: String? {
        if isShownDecoded, case .decoded(let names)? = waiting.decoding?.result { names } else { nil }
    }
    /// The kind of the message as it was received.
    package var kind: MessageKind { waiting.kind }

    /// The kind of what is passed on.
    package func kind(after verdict: HeldMessages.Verdict) -> MessageKind {
        if case .replace(_, let kind) = verdict { kind } else { waiting.kind }
    }

    /// The message as it is passed on without a verdict that changes it.
    package var message: [UInt8] { if case .changed(let bytes) = forwarding { bytes } else { waiting.message } }
    /// What the user sees: the decoded record if the message has only one, and otherwise the message.
    package var shown: [UInt8] {
        guard isShownDecoded, let record = waiting.records.first else { return message }
        return if case .changed(let text)? = edits.first { text } else { record.payload }
    }
    /// The size in memory, in bytes.
    fileprivate var byteCount: Int { waiting.byteCount + origins.byteCount }
}

/// The messages of one direction of a connection that wait for a user, in order. What follows a held message waits behind
/// it.
///
///     pipeline ─► hold ─► [held][behind][held][close] ─► pass, as soon as the first one has a verdict
package final class HeldMessages {
    /// Something that waits.
    package struct Entry {
        package let number: Int
        package let item: Item
        /// Whether it waits only for those before it.
        package let isBehind: Bool
        fileprivate var verdict: Verdict?

        /// The size in memory, in bytes.
        fileprivate var byteCount: Int {
            let editedBytes = if case .replace(let payload, _)? = verdict { payload.count } else { 0 }
            return if case .message(let message) = item { message.byteCount + editedBytes } else { 256 }
        }
    }

    package enum Item {
        case message(HeldMessage)
        case close(CloseFrame)
    }

    /// What becomes of a message.
    package enum Verdict: Equatable {
        case release
        /// Pass on this message in its place.
        case replace([UInt8], MessageKind)
        case drop
    }

    /// Why a message no longer waits.
    package enum Settlement: String {
        case released, edited, dropped
        /// A side is gone.
        case lost
        /// Too many messages waited, or for too long.
        case limit
    }

    /// The sender, or `nil` if there is only one.
    package let side: RelaySide?
    /// The number of the client, or `nil` if there are no clients.
    package let client: Int?
    /// The path of the client's request in normalized form, or `nil` if it has none.
    package let path: String?
    /// The conditions of messages to hold.
    package var conditions: [MessageCondition] = []
    package private(set) var entries: [Entry] = []
    /// Returns the number of an item that is about to wait.
    package var makeNumber: () -> Int = { 0 }
    /// Called when an item waits.
    package var didHold: (Entry) -> Void = { _ in }
    /// Called when it no longer waits.
    package var didSettle: (Entry, Settlement) -> Void = { _, _ in }
    /// Passes on or drops a message.
    package var pass: (HeldMessage, Verdict) -> Void = { _, _ in }
    /// Passes on a close frame.
    package var close: (CloseFrame) -> Void = { _ in }
    weak var pipeline: Pipeline?

    package init(side: RelaySide?, client: Int?, path: String?) {
        (self.side, self.client, self.path) = (side, client, path)
    }

    package var isEmpty: Bool { entries.isEmpty }
    /// The size of all that waits in memory, in bytes.
    package var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }

    /// Whether a message must wait, and if so, whether only behind others; `nil` if it passes.
    func holds(_ records: borrowing MessageRecords, of message: RawSpan, _ edits: [RecordEdit]) -> Bool? {
        for index in 0..<(conditions.isEmpty ? 0 : records.count) {
            let isMatch =
                switch edits.isEmpty ? .unchanged : edits[index] {
                case .unchanged:
                    records.withRecord(index, of: message) { conditions.anyMatches($0, payload: $0) }
                case .changed(let text): conditions.anyMatches(text.span.bytes, payload: text.span.bytes)
                case .removed: false
                }
            if isMatch { return false }
        }
        return entries.isEmpty ? nil : true
    }

    func hold(_ message: HeldMessage, isBehind: Bool) { append(.message(message), isBehind: isBehind) }

    /// Lets a close frame wait behind held messages. Returns false if there are none.
    package func hold(_ frame: CloseFrame) -> Bool {
        guard !entries.isEmpty else { return false }
        append(.close(frame), isBehind: true)
        return true
    }

    private func append(_ item: Item, isBehind: Bool) {
        let entry = Entry(number: makeNumber(), item: item, isBehind: isBehind)
        entries.append(entry)
        didHold(entry)
    }

    // MARK: Verdicts

    /// Decides about an item, which passes after those before it. A dropped one goes at once.
    /// - Parameter edit: What takes the place of a released message, or `nil` if it stays as it is.
    /// - Throws: ``CodecError`` if that cannot be encoded.
    package func release(_ number: Int, as edit: (payload: [UInt8], kind: MessageKind)?) throws(CodecError) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        // Without a new edit, an earlier one stays.
        var verdict = entries[index].verdict ?? .release
        if let edit, case .message(let message) = entries[index].item {
            verdict = try pipeline?.replacement(for: message, by: edit.payload, as: edit.kind) ?? .release
        }
        entries[index].verdict = verdict
        passDue()
    }

    /// Drops a message at once. Returns false for a close frame, which stays.
    package func drop(_ number: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return true }
        guard case .message(let message) = entries[index].item else { return false }
        let entry = entries.remove(at: index)
        didSettle(entry, .dropped)
        pass(message, .drop)
        passDue()
        return true
    }

    /// Passes on everything in order.
    package func releaseAll(because settlement: Settlement) {
        while !entries.isEmpty { passFirst(because: settlement) }
    }

    /// Drops everything, because a side is gone.
    /// - Returns: The number of messages, and the close frame that has waited, if any.
    package func lose() -> (messageCount: Int, close: CloseFrame?) {
        var (count, frame): (Int, CloseFrame?) = (0, nil)
        for entry in entries {
            switch entry.item {
            case .message(let message):
                count += 1
                pass(message, .drop)
            case .close(let waiting): frame = waiting
            }
            didSettle(entry, .lost)
        }
        entries = []
        return (count, frame)
    }

    private func passDue() {
        while let first = entries.first, first.isBehind || first.verdict != nil { passFirst(because: .released) }
    }

    private func passFirst(because settlement: Settlement) {
        let entry = entries.removeFirst()
        let verdict = entry.verdict ?? .release
        let isReplaced = if case .replace = verdict { true } else { false }
        didSettle(entry, isReplaced ? .edited : settlement)
        switch entry.item {
        case .message(let message): pass(message, verdict)
        case .close(let frame): close(frame)
        }
    }
}
