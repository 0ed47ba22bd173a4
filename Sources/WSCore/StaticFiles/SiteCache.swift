/// What the responses of a loop share: the latest index pages of directories, and open files.
///
/// A page is made once per change of its directory, or after two seconds, because it shows the sizes and times of files.
/// Requests of one page thus cost a part of the loop that does not grow with their number. A file has one descriptor,
/// however many streams of HTTP/2 wait for it.
package final class SiteCache {
    private struct Page {
        let path: RequestPath
        /// The state of the directory.
        let status: FileStatus
        let creationSeconds: Int
        let bytes: SharedBytes
    }

    private struct OpenFileReference {
        weak var file: OpenFile?
    }

    /// The open files by number. Those of other file systems, or of earlier versions, replace each other.
    private var files: [UInt64: OpenFileReference] = [:]
    /// The size of ``files`` at which those that are closed are removed.
    private var maximumFileCount = 64
    /// The pages, the latest last.
    private var pages: [Page] = []
    private let counter: BroadcastCounter?

    /// The maximum size of all pages together, unless a single one is larger.
    private static let maximumBytes = 4 << 20
    private static let lifetimeSeconds = 2

    /// - Parameter counter: Counts the pages while they are kept, or responses need them. Defaults to nil.
    package init(countedBy counter: BroadcastCounter? = nil) {
        self.counter = counter
    }

    /// The index page of a directory.
    /// - Parameter html: Makes the page.
    func page(
        of directory: OpenDirectory, at path: RequestPath, html: () throws(IOError) -> String
    ) throws(IOError) -> SharedBytes {
        let now = WallTime.now.seconds
        pages.removeAll { !($0.creationSeconds...$0.creationSeconds + Self.lifetimeSeconds).contains(now) }
        if let status = directory.status,
            let page = pages.first(where: { $0.path == path && $0.status == status })
        {
            return page.bytes
        }
        var buffer = ByteBuffer()
        buffer.append(try html())
        let bytes = SharedBytes(buffer, countedBy: counter)
        guard let status = directory.status else { return bytes }
        pages.removeAll { $0.path == path }
        pages.append(Page(path: path, status: status, creationSeconds: now, bytes: bytes))
        while pages.count > 1, pages.reduce(0, { $0 + $1.bytes.count }) > Self.maximumBytes { pages.removeFirst() }
        return bytes
    }

    /// Discards all pages. Responses keep theirs.
    func removePages() { pages = [] }

    /// Returns an open file in place of another one, if it is the same in the same version.
    func shared(_ file: OpenFile) -> OpenFile {
        if let open = files[file.status.number]?.file, open.status == file.status { return open }
        if files.count >= maximumFileCount {
            files = files.filter { $0.value.file != nil }
            maximumFileCount = max(64, files.count * 2)
        }
        files[file.status.number] = OpenFileReference(file: file)
        return file
    }
}
