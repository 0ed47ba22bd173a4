import CSystem
import Glibc

/// A directory with a unique name, accessible only by its owner. It stays until ``remove()`` is called.
package struct TemporaryDirectory: Sendable {
    /// The path of the directory.
    package let path: String

    /// Creates a directory.
    /// - Parameter prefix: The beginning of the path. Six random characters follow it.
    package init(at prefix: String) throws(IOError) {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates a file in it.
    package func create(_ name: String, with bytes: [UInt8]) throws(IOError) {
        try File.replace("\(path)/\(name)", with: bytes)
    }

    /// Removes the directory and everything in it, without following symbolic links.
    package func remove() { wsx_remove_tree(path) }
}
