import Formats
import WSCore

extension Codec {
    /// The maximum size of a descriptor set, in bytes.
    private static let maximumSetBytes = 16 << 20

    /// Finds a codec by its name, and reads the file that the name refers to.
    /// - Throws: ``CodecNameProblem``.
    package init(opening name: String) throws(CodecNameProblem) {
        try self.init(named: name) { (path) throws(CodecNameProblem) in
            do throws(IOError) {
                return try File.read(path, maximumBytes: Self.maximumSetBytes)
            } catch {
                throw .unreadable("\(error)")
            }
        }
    }
}
