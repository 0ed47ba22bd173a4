import WSCore

/// The lines that were typed at a prompt, in this session and, where there is a file for them, in those before.
///
/// Each line is appended to the file as it is typed, so that sessions at the same time keep each other's.
final class History {
    /// The most entries that are kept.
    static let maximumEntries = 1000
    /// The file may grow to so many before it is shortened, which happens at the beginning of a session.
    private static let toleratedEntries = maximumEntries + maximumEntries / 4
    /// The most of a file that is read, in bytes: its end.
    private static let maximumFileBytes = 16 << 20

    /// The lines, the oldest first.
    private(set) var lines: [[UInt8]] = []
    /// The number of the first line; that of the others follows.
    private(set) var firstNumber = 1
    /// Called with the first thing that goes wrong, in words; nothing is written to the file afterwards.
    var didFail: ((String) -> Void)?

    private var path: String?
    private let isOwnFile: Bool
    private let policy: () -> HistoryPolicy

    /// Makes a history without lines.
    /// - Parameters:
    ///   - path: The file it is kept in; nil: it is kept in memory.
    ///   - isOwnFile: Whether the file is the program's own, not one of the user's choice: no one else is to read it.
    ///   - policy: Which lines get into the file.
    init(path: String? = nil, isOwnFile: Bool = false, policy: @escaping () -> HistoryPolicy = { HistoryPolicy() }) {
        self.path = path
        self.isOwnFile = isOwnFile
        self.policy = policy
    }

    /// Reads what earlier sessions have left.
    func load() {
        guard let path else { return }
        do throws(IOError) {
            if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
                try File.makeDirectory(String(path[..<slash]))
            }
            if isOwnFile { try SharedFile.withdraw(path) }
            try SharedFile.update(path, readingAtMost: Self.maximumFileBytes) { bytes, areAll in
                let entries = HistoryFormat.entries(in: bytes)
                let kept = entries.suffix(Self.maximumEntries)
                lines = kept.map(\.line)
                // A file with no entry in it is none of ours.
                guard !entries.isEmpty, entries.count > Self.toleratedEntries || !areAll else { return nil }
                return HistoryFormat.bytes(of: kept)
            }
        } catch {
            fail(error)
        }
    }

    /// Keeps a line, unless it is the one before again.
    /// - Returns: Whether it is another.
    @discardableResult
    func record(_ line: [UInt8], at time: WallTime = .now) -> Bool {
        guard !line.isEmpty, lines.last != line else { return false }
        lines.append(line)
        if lines.count > Self.maximumEntries {
            lines.removeFirst()
            firstNumber += 1
        }
        guard let path, policy().allows(line), line.count <= HistoryFormat.maximumEntryBytes, !line.contains(0) else {
            return true
        }
        do throws(IOError) {
            try SharedFile.append(HistoryFormat.bytes(of: HistoryEntry(time: time.seconds, line: line)), to: path)
        } catch {
            fail(error)
        }
        return true
    }

    /// The line with a number; nil: there is none.
    func line(number: Int) -> [UInt8]? {
        let (index, overflow) = number.subtractingReportingOverflow(firstNumber)
        return !overflow && lines.indices.contains(index) ? lines[index] : nil
    }

    private func fail(_ error: IOError) {
        guard let path else { return }
        self.path = nil
        didFail?(
            "the history cannot be saved: \(escapingControls(path)): \(error); use --history FILE or --no-history"
        )
    }
}
