import Formats
import WSCore

/// Changes and drops messages, or records of them, before anything else sees them: `--rewrite` and `--drop`.
package struct MessageEditor {
    /// Returns the new text of a text, or `nil` if it stays.
    package typealias Rewriting = (RawSpan) -> [UInt8]?

    private let rewrite: Rewriting?
    /// The conditions of messages that are dropped, which see the new text.
    private let dropping: [MessageCondition]

    /// Returns `nil` if there is nothing to do.
    package init?(rewriting rewrite: Rewriting? = nil, dropping: [MessageCondition]) {
        if rewrite == nil, dropping.isEmpty { return nil }
        self.rewrite = rewrite
        self.dropping = dropping
    }

    /// What becomes of the records of a message. Empty if nothing changes.
    /// - Parameter isDecoded: Whether codecs have made the records. Binary ones are rewritten only then.
    func edits(of records: borrowing MessageRecords, in message: RawSpan, isDecoded: Bool) -> [RecordEdit] {
        var edits: [RecordEdit] = []
        for index in 0..<records.count {
            let isRewritten = isDecoded || records.isText(index)
            let edit: RecordEdit = records.withRecord(index, of: message) {
                self.edit(of: $0, isRewritten: isRewritten)
            }
            if edit == .unchanged, edits.isEmpty { continue }
            while edits.count < index { edits.append(.unchanged) }
            edits.append(edit)
        }
        while !edits.isEmpty, edits.count < records.count { edits.append(.unchanged) }
        return edits
    }

    private func edit(of record: RawSpan, isRewritten: Bool) -> RecordEdit {
        guard isRewritten, let text = rewrite?(record) else { return drops(record) ? .removed : .unchanged }
        return drops(text.span.bytes) ? .removed : .changed(text)
    }

    private func drops(_ text: RawSpan) -> Bool {
        for condition in dropping where condition.matches(text) { return true }
        return false
    }
}

/// What rules have done to a message.
package struct MessageEdit: Equatable, Sendable {
    /// The numbers of the records that a rule has changed, from 1.
    package private(set) var rewrittenRecords: [Int] = []
    /// The numbers of the records that were dropped, from 1.
    package private(set) var droppedRecords: [Int] = []
    /// Whether all of it was dropped.
    package private(set) var isDropped = false
    /// Whether a user has changed it.
    package private(set) var isEdited = false

    private init(rewritten: [Int], isDropped: Bool, isEdited: Bool = false) {
        rewrittenRecords = rewritten
        self.isEdited = isEdited
        self.isDropped = isDropped
    }

    /// A changed record.
    package static let rewritten = MessageEdit(rewritten: [1], isDropped: false)
    package static let dropped = MessageEdit(rewritten: [], isDropped: true)
    /// A message that a user has changed.
    package static let edited = MessageEdit(rewritten: [], isDropped: false, isEdited: true)

    /// Returns `nil` if nothing was done.
    init?(_ edits: [RecordEdit]) {
        if edits.isEmpty { return nil }
        for (index, edit) in edits.enumerated() {
            switch edit {
            case .unchanged: break
            case .changed: rewrittenRecords.append(index + 1)
            case .removed: droppedRecords.append(index + 1)
            }
        }
    }
}
