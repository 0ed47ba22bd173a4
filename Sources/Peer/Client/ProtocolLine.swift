import Conversation
import UserInterface
import WSCore

/// The lines of application protocols as users type them.
package enum ProtocolLine {
    /// The maximum size of a file that a line names, in bytes.
    private static let maximumFileBytes = 1 << 20

    /// Replaces `@FILE` at the beginning of a line by the contents of the file: `@query.graphql {"x":1}`. Only for
    /// protocols with lines that may name files.
    package static func resolved(_ line: [UInt8]) throws(ProtocolInputError) -> [UInt8] {
        guard line.first == UInt8(ascii: "@") else { return line }
        let end = line.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? line.endIndex
        let path = UserFiles.expandingHome(String(decoding: line[1..<end], as: UTF8.self))
        do throws(IOError) {
            return try File.readRegular(path, maximumBytes: maximumFileBytes) + line[end...]
        } catch {
            throw ProtocolInputError("reading \(escapingControls(path)): \(error)")
        }
    }
}
