#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// Whole files.
public enum File {
    /// Reads all of the file at `path`.
    public static func read(_ path: String) throws(IOError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        defer { Descriptor.closeDescriptor(descriptor) }
        var contents: [UInt8] = []
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = try Descriptor.read(descriptor, into: piece)
            guard count > 0 else { return contents }
            contents.append(contentsOf: piece[..<count])
        }
    }
}
