import UserInterface
import WSCore

/// Where a session is written: a new file, standard output, or a file without a name that is read again.
package struct SessionOutput: ~Copyable {
    private enum Destination {
        case standardOutput
        case file(CompleteFile)
        case unnamed(SeekableFile)
    }

    private let path: String
    private let destination: Destination

    /// A larger buffer is written.
    private static let bufferBytes = 64 << 10

    /// Creates a file. `-` is standard output.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(_ path: String) throws(Failure) {
        self.path = path
        do throws(IOError) {
            destination = path == "-" ? .standardOutput : .file(try CompleteFile(creating: path))
        } catch {
            throw .badArgument(
                what: escapingControls(path),
                why: error == .fileExists ? "\(error); use another name" : error.fileProblem)
        }
    }

    /// Writes to a file without a name in a directory.
    package init(to file: SeekableFile, in directory: String) {
        path = directory
        destination = .unnamed(file)
    }

    /// Writes and empties a buffer if it is large.
    package func writeIfLarge(_ buffer: inout ByteBuffer) throws(Failure) {
        if buffer.count > Self.bufferBytes { try write(&buffer) }
    }

    /// Writes and empties a buffer.
    package func write(_ buffer: inout ByteBuffer) throws(Failure) {
        try buffer.withReadableBytes { (bytes) throws(Failure) in
            do throws(IOError) {
                switch destination {
                case .standardOutput:
                    if let error = StandardDescriptors.writeAll(bytes, to: StandardDescriptors.output) {
                        throw error
                    }
                case .file(let file): try file.write(bytes)
                case .unnamed(let file): try file.append(bytes)
                }
            } catch {
                if case .standardOutput = destination { throw .output(error) }
                throw .writing(path: path, error)
            }
        }
        buffer.removeAll()
        buffer.releaseStorage(above: 4 * Self.bufferBytes)
    }

    /// The number of bytes in the file; nil for other outputs.
    package var fileByteCount: Int? { if case .file(let file) = destination { file.byteCount } else { nil } }

    /// Removes all bytes of the file.
    package func empty() throws(Failure) {
        guard case .file(let file) = destination else { return }
        do throws(IOError) { try file.empty() } catch { throw .writing(path: path, error) }
    }

    /// Gives the file its name.
    package func complete() throws(Failure) {
        guard case .file(let file) = destination else { return }
        do throws(IOError) { try file.complete() } catch { throw .writing(path: path, error) }
    }
}
