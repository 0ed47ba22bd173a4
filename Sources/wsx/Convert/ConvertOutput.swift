import WSCore

/// The output of `wsx convert`: a new file, or standard output.
struct ConvertOutput: ~Copyable {
    private let path: String
    /// `nil` for standard output.
    private let file: CompleteFile?

    /// A larger buffer is written.
    private static let bufferBytes = 64 << 10

    /// Creates a file. `-` is standard output.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ path: String) throws(Failure) {
        self.path = path
        do throws(IOError) {
            file = path == "-" ? nil : try CompleteFile(creating: path)
        } catch {
            throw .badArgument(
                what: escapingControls(path),
                why: error == .fileExists ? "\(error); use another name" : error.fileProblem)
        }
    }

    /// Writes and empties a buffer if it is large.
    func writeIfLarge(_ buffer: inout ByteBuffer) throws(Failure) {
        if buffer.count > Self.bufferBytes { try write(&buffer) }
    }

    /// Writes and empties a buffer.
    func write(_ buffer: inout ByteBuffer) throws(Failure) {
        try buffer.withReadableBytes { (bytes) throws(Failure) in
            guard let file else {
                if let error = StandardDescriptors.writeAll(bytes, to: StandardDescriptors.output) {
                    throw .output(error)
                }
                return
            }
            do throws(IOError) { try file.write(bytes) } catch { throw .writing(path: path, error) }
        }
        buffer.removeAll()
        buffer.releaseStorage(above: 4 * Self.bufferBytes)
    }

    /// Gives the file its name.
    func complete() throws(Failure) {
        do throws(IOError) { try file?.complete() } catch { throw .writing(path: path, error) }
    }
}
