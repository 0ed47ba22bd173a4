#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// A file with a new name, for its owner alone, that stays until it is removed.
public struct TemporaryFile: Sendable {
    /// Where it is.
    public let path: String

    /// Makes a file.
    /// - Parameters:
    ///   - prefix: What its path begins with; six characters follow that make it new.
    ///   - suffix: What the path ends with.
    ///   - contents: What the file begins with.
    /// - Throws: ``IOError``; there is no file then.
    public init(at prefix: String, suffix: String = "", contents: [UInt8]) throws(IOError) {
        // mkstemps fills the six Xs in with a name that is free.
        var template = Array("\(prefix)XXXXXX\(suffix)".utf8CString)
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(IOError) {
            try Descriptor.writeAll(descriptor, contents)
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the file, or whatever has taken its place.
    public func remove() {
        _ = unlink(path)
    }
}
