import Glibc

/// The files below a directory. Neither names nor symbolic links can lead outside it.
///
/// Each name is looked up on its own, starting at the directory's descriptor, and links are followed in user space. The
/// kernel never resolves more than one name, and never resolves `..`.
package final class FileTree: Sendable {
    /// The result of a lookup.
    enum Found {
        case file(OpenFile)
        case directory(OpenDirectory)
    }

    private let root: Int32

    /// Opens the directory at `path`.
    /// - Throws: ``IOError`` if there is no directory at `path`, or if it is not readable.
    package init(_ path: String) throws(IOError) {
        root = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }

    deinit {
        Descriptor.closeDescriptor(root)
    }

    /// Opens the file or directory that the path `names` leads to. No name is empty or contains a slash or NUL.
    /// - Parameter isAllowed: Whether symbolic links may lead through a name. It is called for each name in a link's
    ///   target except `.` and `..`.
    /// - Throws: ``IOError``. ``IOError/noSuchFile`` also covers other types of files, and links that lead out of the
    ///   tree, through forbidden names, or through too many other links.
    func find(
        _ names: [String], linksLeadBy isAllowed: (String) -> Bool = { _ in true }
    ) throws(IOError) -> Found {
        let walk = FileTreeWalk(from: root)
        return try walk.find(names.map { Array($0.utf8CString) }, linksLeadBy: isAllowed)
    }
}

/// A walk from the root of a tree to one file. Keeps a descriptor for each directory on the way.
private final class FileTreeWalk {
    private let root: Int32
    /// The directories below the root.
    private var directories: [Int32] = []
    /// The names still to look up, the next one last.
    private var names: [[CChar]] = []
    /// Linux follows at most 40 links per path, too.
    private var linksLeft = 40
    /// Far deeper than real directory trees.
    private static let maximumDepth = 99

    init(from root: Int32) {
        self.root = root
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
        let directory = directories.popLast() ?? fcntl(root, F_DUPFD_CLOEXEC, 0)
        guard directory >= 0 else { throw .last }
        return .directory(OpenDirectory(descriptor: directory))
    }

    /// Looks up one name. Returns the file if the name leads to one.
    private func step(to name: [CChar], linksLeadBy isAllowed: (String) -> Bool) throws(IOError) -> OpenFile? {
        if Self.isName(name, ".") { return nil }
        if Self.isName(name, "..") {
            guard let directory = directories.popLast() else { throw .noSuchFile }
            Descriptor.closeDescriptor(directory)
            return nil
        }
        // Pipes and devices are not even opened: opening one can wake a process that waits for it.
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

    /// Opens a name that was no link when it was checked. It may have been replaced by a link or a pipe since then.
    private func enter(_ name: [CChar]) throws(IOError) -> OpenFile? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = openat(here, name, flags)
        guard descriptor >= 0 else { throw .last }
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

    /// The names in a link's target, in order.
    private func target(of name: [CChar]) throws(IOError) -> [[CChar]] {
        guard linksLeft > 0 else { throw .noSuchFile }
        linksLeft -= 1
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(here, name, &target, target.count)
        guard count >= 0 else { throw .last }
        let slash = CChar(bitPattern: UInt8(ascii: "/"))
        // An absolute target is outside the tree, even if it leads back into it. A target that fills the buffer is
        // truncated.
        guard count > 0, count < target.count, target[0] != slash else { throw .noSuchFile }
        return target[..<count].split(separator: slash).map { Array($0) + [0] }
    }

    private func status(of name: [CChar]) throws(IOError) -> FileStatus {
        var status = stat()
        guard fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last }
        return FileStatus(status)
    }

    private var here: Int32 { directories.last ?? root }

    private static func isName(_ name: [CChar], _ other: StaticString) -> Bool {
        name.count == other.utf8CodeUnitCount + 1
            && zip(name, 0..<other.utf8CodeUnitCount).allSatisfy { UInt8(bitPattern: $0) == other.utf8Start[$1] }
    }

    /// Whether a name is `.` or `..`.
    private static func isDots(_ name: [CChar]) -> Bool { isName(name, ".") || isName(name, "..") }

    private static func text(of name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
