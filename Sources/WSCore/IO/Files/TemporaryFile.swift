import Glibc

/// A file with a unique name, accessible only by its owner. It stays until ``remove()`` is called.
package struct TemporaryFile: Sendable {
    /// The path of the file.
    package let path: String

    /// Creates a file with a unique name.
    /// - Parameters:
    ///   - prefix: The beginning of the path. Six random characters follow it.
    ///   - suffix: The end of the path.
    ///   - contents: The initial contents of the file.
    /// - Throws: ``IOError`` if the file cannot be created or written. No file is left behind.
    package init(at prefix: String, suffix: String = "", contents: [UInt8]) throws(IOError) {
        // mkstemps() replaces the six Xs with an unused name.
        var template = Array("\(prefix)XXXXXX\(suffix)".utf8CString)
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { throw .last }
        defer { Descriptor.closeDescriptor(descriptor) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(IOError) {
            try Descriptor.writeAll(descriptor, contents.span.bytes)
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the file, or any file that has replaced it.
    package func remove() {
        _ = unlink(path)
    }
}
