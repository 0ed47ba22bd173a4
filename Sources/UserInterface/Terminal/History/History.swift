import Conversation
import WSCore

/// The lines typed at a prompt, in this session and, if there is a history file, in earlier ones.
///
/// Each line is appended to the file as it is typed. Concurrent sessions therefore keep each other's lines.
package final class History {
    /// The maximum number of entries.
    static let maximumEntries = 1000
    /// The number of entries in the file that makes the next session shorten it.
    private static let toleratedEntries = maximumEntries + maximumEntries / 4
    /// The maximum number of bytes read from a file: its end.
    private static let maximumFileBytes = 16 << 20

    /// The lines, oldest first.
    private(set) var lines: [[UInt8]] = []
    /// The number of the first line.
    private(set) var firstNumber = 1
    /// Called with a message for the first error. After that, nothing is written to the file.
    package var didFail: ((String) -> Void)?

    private var path: String?
    private let isOwnFile: Bool
    private let policy: () -> HistoryPolicy

    /// Creates an empty history in memory.
    package convenience init() {
        self.init(path: nil, isOwnFile: false) { HistoryPolicy(secrets: SecretRecord()) }
    }

    /// Creates an empty history.
    /// - Parameters:
    ///   - path: The history file; nil: keep the history in memory.
    ///   - isOwnFile: Whether wsx chose the file, which must then be private, and not the user.
    ///   - policy: The lines to write to the file.
    package init(path: String?, isOwnFile: Bool, policy: @escaping () -> HistoryPolicy) {
        self.path = path
        self.isOwnFile = isOwnFile
        self.policy = policy
    }

    /// Reads the lines of earlier sessions.
    package func load() {
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
                // A file without entries is not a history.
                guard !entries.isEmpty, entries.count > Self.toleratedEntries || !areAll else { return nil }
                return HistoryFormat.bytes(of: kept)
            }
        } catch {
            fail(error)
        }
    }

    /// Adds a line unless it repeats the previous one.
    /// - Returns: Whether the line was added.
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

    /// The line with a number, or nil.
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

/// A typed entry of one or more lines.
struct HistoryEntry: Equatable {
    /// The time of typing, in seconds since 1970-01-01 UTC; 0: unknown.
    let time: Int
    let line: [UInt8]
}
