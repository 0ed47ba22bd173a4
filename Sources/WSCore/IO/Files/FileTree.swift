#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import CLibuv

/// The files beneath a directory, and nothing outside it whatever the names and symbolic links are.
///
/// Names are looked up one by one, from the directory's descriptor on, and links are followed by hand: the kernel never
/// resolves more than one name, and no `..`.
public final class FileTree: Sendable {
    /// What was found.
    enum Found {
        case file(OpenFile)
        case directory(OpenDirectory)
    }

    private let root: Int32

    /// Opens the directory at `path`.
    /// - Throws: ``IOError`` when there is none, or when it cannot be read.
    public init(_ path: String) throws(IOError) {
        root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
    }

    deinit {
        Descriptor.closeDescriptor(root)
    }

    /// Opens the file or directory at the end of `names`, which are neither empty nor contain slashes or NUL.
    /// - Parameter isAllowed: Whether a link may lead by this name; all names but `.` and `..` are asked about.
    /// - Throws: ``IOError/noSuchFile`` also for what is neither, and for links that lead out of the tree, too far, or by
    ///   names that are not allowed.
    func find(
        _ names: [String], linksLeadBy isAllowed: (String) -> Bool = { _ in true }
    ) throws(IOError) -> Found {
        let walk = try FileTreeWalk(from: root)
        return try walk.find(names.map { Array($0.utf8CString) }, linksLeadBy: isAllowed)
    }
}

/// The way through a tree to one file: the directories from the root on, each open.
private final class FileTreeWalk {
    private var directories: [Int32]
    /// The names that are still to be looked up, the next one last.
    private var names: [[CChar]] = []
    /// As many links as Linux follows, in a way of any length.
    private var linksLeft = 40
    /// More than anybody has directories in each other.
    private static let maximumDepth = 100

    init(from root: Int32) throws(IOError) {
        let descriptor = fcntl(root, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw IOError(code: uv_translate_sys_error(errno)) }
        directories = [descriptor]
    }

    deinit {
        for descriptor in directories { Descriptor.closeDescriptor(descriptor) }
    }

    func find(_ path: [[CChar]], linksLeadBy isAllowed: (String) -> Bool) throws(IOError) -> FileTree.Found {
        names = path.reversed()
        while let name = names.popLast() {
            if let file = try step(to: name, linksLeadBy: isAllowed) {
                guard names.isEmpty else { throw .noSuchFile }
                return .file(file)
            }
        }
        return .directory(OpenDirectory(descriptor: directories.removeLast()))
    }

    /// Looks up one name; returns the file if it is one's.
    private func step(to name: [CChar], linksLeadBy isAllowed: (String) -> Bool) throws(IOError) -> OpenFile? {
        if Self.isName(name, ".") { return nil }
        if Self.isName(name, "..") {
            guard directories.count > 1 else { throw .noSuchFile }
            Descriptor.closeDescriptor(directories.removeLast())
            return nil
        }
        // A pipe or a device is not even opened: somebody may wait for that.
        switch try status(of: name).kind {
        case .symbolicLink:
            let target = try target(of: name)
            guard target.allSatisfy({ Self.isDots($0) || isAllowed(Self.text(of: $0)) }) else { throw .noSuchFile }
            names += target.reversed()
            return nil
        case .regular, .directory: return try enter(name)
        case .other: throw .noSuchFile
        }
    }

    /// Opens what is no link, as far as is known: it may have become one, or a pipe.
    private func enter(_ name: [CChar]) throws(IOError) -> OpenFile? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = openat(here, name, flags)
        guard descriptor >= 0 else { throw Self.lastError }
        var status = stat()
        if fstat(descriptor, &status) == 0 {
            let status = FileStatus(status)
            switch status.kind {
            case .regular: return OpenFile(descriptor: descriptor, status: status)
            case .directory where directories.count < Self.maximumDepth:
                directories.append(descriptor)
                return nil
            default: break
            }
        }
        Descriptor.closeDescriptor(descriptor)
        throw .noSuchFile
    }

    /// The names that a link leads by, in order.
    private func target(of name: [CChar]) throws(IOError) -> [[CChar]] {
        guard linksLeft > 0 else { throw .noSuchFile }
        linksLeft -= 1
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(here, name, &target, target.count)
        guard count >= 0 else { throw Self.lastError }
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        // What begins at the system's root is not beneath ours, even where it leads back; what fills the buffer is cut.
        guard count > 0, count < target.count, target[0] != slash else { throw .noSuchFile }
        return target[..<count].split(separator: slash).map { Array($0) + [0] }
    }

    private func status(of name: [CChar]) throws(IOError) -> FileStatus {
        var status = stat()
        guard fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.lastError }
        return FileStatus(status)
    }

    private var here: Int32 { directories[directories.count - 1] }

    private static func isName(_ name: [CChar], _ other: StaticString) -> Bool {
        name.count == other.utf8CodeUnitCount + 1
            && zip(name, 0..<other.utf8CodeUnitCount).allSatisfy { UInt8(bitPattern: $0) == other.utf8Start[$1] }
    }

    /// Whether a name is that of a directory itself, or of the one it is in.
    private static func isDots(_ name: [CChar]) -> Bool { isName(name, ".") || isName(name, "..") }

    private static func text(of name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static var lastError: IOError { IOError(code: uv_translate_sys_error(errno)) }
}
