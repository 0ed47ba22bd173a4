import Conversation
import WSCore

/// The lines of application protocols as users type them.
enum ProtocolLine {
    /// The maximum size of a file that a line names, in bytes.
    private static let maximumFileBytes = 1 << 20

    /// Replaces `@FILE` at the beginning of a line by the contents of the file: `@query.graphql {"x":1}`. Lines of a
    /// protocol that does not read files stay unchanged.
    static func resolved(
        _ line: RawSpan, for descriptor: ApplicationProtocol
    ) throws(ProtocolInputError) -> [UInt8] {
        let line = line.withUnsafeBytes { Array($0) }
        guard descriptor.readsFiles, line.first == UInt8(ascii: "@") else { return line }
        let end = line.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? line.endIndex
        let path = UserFiles.expandingHome(String(decoding: line[1..<end], as: UTF8.self))
        do throws(IOError) {
            return try File.readRegular(path, maximumBytes: maximumFileBytes) + line[end...]
        } catch {
            throw ProtocolInputError("reading \(escapingControls(path)): \(error)")
        }
    }
}
