import Formats
import Peer
import UserInterface
import WSCore

/// A recording that a server answers from. It is kept in memory.
struct ReplayRecording: Sendable {
    private let conversations: [ReplayConversation]

    /// Reads a file of JSON events.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line.
    init(contentsOf path: String, speed: ReplaySpeed) throws(Failure) {
        let what = "--replay \(escapingControls(path))"
        let contents = try HeaderFiles.text(of: path, for: "--replay")
        var reader = ReplayReader(speed: speed)
        var lineNumber = 0
        var problem: InputProblem?
        let read: (RawSpan) -> Bool = { line in
            lineNumber += 1
            guard !line.withUnsafeBytes({ $0.allSatisfy(\.isBlank) }) else { return true }
            do throws(InputProblem) { try reader.read(line) } catch { problem = error }
            return problem == nil
        }
        var splitter = RecordSplitter(.json)
        contents.withUnsafeBytes { _ = splitter.split($0.bytes, read) }
        if problem == nil { splitter.finish { _ = read($0) } }
        let remedy = "make a recording with 'wsx connect --record FILE'"
        guard lineNumber > 0 else { throw .badArgument(what: what, why: "it is empty; \(remedy)") }
        // The cut may also fall inside a UTF-8 character.
        if problem == .notJSON(.truncated) || problem == .notTextEvent, contents.last != UInt8(ascii: "\n") {
            throw .badArgument(
                what: "\(what), line \(lineNumber)",
                why: "the recording ends in the middle of this line; delete the line to replay the rest")
        }
        if let problem { throw .badArgument(what: "\(what), line \(lineNumber)", why: "\(problem)") }
        conversations = reader.conversations
        let hasReplies = conversations.contains { $0.exchanges.contains { !$0.replies.isEmpty } }
        guard hasReplies else {
            throw .badArgument(what: what, why: "it contains no messages from a server; \(remedy)")
        }
    }

    /// The conversation for a client; clients are numbered from 1. The conversations are assigned in order, then start
    /// over.
    func conversation(ofClient number: Int) -> ReplayConversation {
        conversations[(number - 1) % conversations.count]
    }
}
