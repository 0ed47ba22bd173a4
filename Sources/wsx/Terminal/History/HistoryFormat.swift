/// The form of a file of history, which is that of bash and other users of readline with timestamps:
///
///     #1700000000
///     {
///       "id": 7
///     }
///     #1700000012
///     /ping
///
/// A line of an entry that looks like a timestamp itself has a backslash before it, and so has one that begins with
/// backslashes and goes on so. Of a file without timestamps each line is an entry.
enum HistoryFormat {
    /// The most bytes of an entry that is taken from a file, or written to one: 1 MiB. No one types that much.
    static let maximumEntryBytes = 1 << 20

    private static let newline = UInt8(ascii: "\n")
    private static let numberSign = UInt8(ascii: "#")
    private static let backslash = UInt8(ascii: "\\")

    /// What stands in the file for an entry.
    static func bytes(of entry: HistoryEntry) -> [UInt8] {
        var bytes = Array("#\(entry.time)\n".utf8)
        for line in entry.line.split(separator: newline, omittingEmptySubsequences: false) {
            if isTimestamp(line.drop { $0 == backslash }) { bytes.append(backslash) }
            bytes.append(contentsOf: line)
            bytes.append(newline)
        }
        return bytes
    }

    /// What stands in the file for entries.
    static func bytes(of entries: some Sequence<HistoryEntry>) -> [UInt8] {
        entries.flatMap { bytes(of: $0) }
    }

    /// The entries in a file, whatever is in it: what nobody can have typed is left out.
    static func entries(in bytes: [UInt8]) -> [HistoryEntry] {
        var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        // What follows the last newline: nothing, or what was being written when the system went down.
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        var entries: [HistoryEntry] = []
        var time: Int?
        // Each line of the entry with a newline after it; what is more than an entry can have is not gathered.
        var gathered: [UInt8] = []
        func take() {
            let line = gathered.dropLast()
            gathered.removeAll()
            guard isPlausible(line) else { return }
            entries.append(HistoryEntry(time: time ?? 0, line: Array(line)))
        }
        for line in lines {
            if isTimestamp(line) {
                take()
                time = Int(String(decoding: line.dropFirst(), as: UTF8.self)) ?? 0
            } else if gathered.count <= maximumEntryBytes + 1 {
                gathered.append(contentsOf: unescaped(line))
                gathered.append(newline)
                if time == nil { take() }
            }
        }
        take()
        return entries
    }

    private static func isPlausible(_ line: ArraySlice<UInt8>) -> Bool {
        !line.isEmpty && line.count <= maximumEntryBytes && !line.contains(0)
            && String(validating: line, as: UTF8.self) != nil
    }

    private static func isTimestamp(_ line: ArraySlice<UInt8>) -> Bool {
        line.count > 1 && line.first == numberSign
            && line.dropFirst().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func unescaped(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isEscaped = line.first == backslash && isTimestamp(line.drop { $0 == backslash })
        return isEscaped ? line.dropFirst() : line
    }
}
