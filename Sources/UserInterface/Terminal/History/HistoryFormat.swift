/// The format of history files, which bash and other users of readline share:
///
///     #1700000000
///     {
///       "id": 7
///     }
///     #1700000012
///     /ping
///
/// In an entry, a line that looks like a timestamp gets a leading backslash, as does such a line that already begins
/// with backslashes. In a file without timestamps, each line is an entry.
enum HistoryFormat {
    /// The maximum size of an entry in bytes, for reading and writing: 1 MiB. No one types that much.
    static let maximumEntryBytes = 1 << 20

    private static let newline = UInt8(ascii: "\n")
    private static let numberSign = UInt8(ascii: "#")
    private static let backslash = UInt8(ascii: "\\")

    /// The file's bytes for an entry.
    static func bytes(of entry: HistoryEntry) -> [UInt8] {
        var bytes = Array("#\(entry.time)\n".utf8)
        for line in entry.line.split(separator: newline, omittingEmptySubsequences: false) {
            if isTimestamp(line.drop { $0 == backslash }) { bytes.append(backslash) }
            bytes.append(contentsOf: line)
            bytes.append(newline)
        }
        return bytes
    }

    /// The file's bytes for entries.
    static func bytes(of entries: some Sequence<HistoryEntry>) -> [UInt8] {
        entries.flatMap { bytes(of: $0) }
    }

    /// Parses a file with arbitrary contents. Entries that cannot have been typed are skipped.
    static func entries(in bytes: [UInt8]) -> [HistoryEntry] {
        var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        // The text after the last newline: empty, or an entry whose writing was interrupted.
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        var entries: [HistoryEntry] = []
        var time: Int?
        // The lines of the entry, each with a newline. Lines beyond the size limit are not collected.
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
