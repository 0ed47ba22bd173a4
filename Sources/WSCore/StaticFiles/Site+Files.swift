// Responses from files and directories.
extension Site {
    /// The response for the file or directory that a request names, or `nil` if there is none.
    func response(to request: RequestHead, from files: FileTree, cache: SiteCache) -> WebResponse? {
        do throws(RequestPathError) {
            let path = try RequestPath(parsing: request.path ?? "")
            return response(to: request, path, from: files, cache: cache)
        } catch {
            return error == .malformed ? WebResponse(status: 400, text: "This path is invalid.") : nil
        }
    }

    private func response(
        to request: RequestHead, _ path: RequestPath, from files: FileTree, cache: SiteCache
    ) -> WebResponse? {
        do throws(IOError) {
            switch try Self.find(path.names, in: files) {
            case .file(let file):
                guard !path.endsWithSlash, let name = path.names.last else { return nil }
                return Self.response(to: request, cache.shared(file), named: name)
            case .directory where !path.endsWithSlash && !path.names.isEmpty:
                return redirection(of: request, to: path)
            case .directory(let directory):
                if let file = try indexFile(at: path, in: files) {
                    return Self.response(to: request, cache.shared(file), named: Self.indexName)
                }
                let page = try cache.page(of: directory, at: path) { () throws(IOError) in
                    try Self.index(of: directory, at: path, in: files).html
                }
                return WebResponse(
                    status: 200,
                    fields: [
                        HeaderField(wellFormedName: "Content-Type", value: MediaType.html),
                        HeaderField(wellFormedName: "Content-Security-Policy", value: DirectoryIndex.securityPolicy),
                    ], content: .shared(page))
            }
        } catch {
            return Self.response(to: error)
        }
    }

    /// Looks up names, and lets symbolic links lead only through names that a request could contain. The author of a
    /// link, such as one from a cloned repository, may be as untrusted as the client.
    private static func find(_ names: [String], in files: FileTree) throws(IOError) -> FileTree.Found {
        try files.find(names, linksLeadBy: RequestPath.isServed)
    }

    private func indexFile(at path: RequestPath, in files: FileTree) throws(IOError) -> OpenFile? {
        do throws(IOError) {
            guard case .file(let file) = try Self.find(path.names + [Self.indexName], in: files) else { return nil }
            return file
        } catch {
            guard error == .noSuchFile else { throw error }
            return nil
        }
    }

    /// RFC 9110 §15.4.2: relative links on a directory's page need a path that ends with a slash.
    private func redirection(of request: RequestHead, to path: RequestPath) -> WebResponse {
        let location = path.directoryText + (request.query.map { "?\($0)" } ?? "")
        return WebResponse(
            status: 301, text: "This is a directory: \(path.directoryText)",
            fields: [HeaderField(wellFormedName: "Location", value: location)])
    }

    private static func response(to error: IOError) -> WebResponse? {
        switch error {
        case .accessDenied: WebResponse(status: 403, text: "The server is not allowed to read this file.")
        case .tooManyOpenFiles, .fileTableFull, .outOfMemory:
            WebResponse(
                status: 503,
                text: "The server has reached its limit on open files, or is out of memory; try again later.")
        // The name does not exist, is too long, or leads through something that is not a directory.
        default: nil
        }
    }

    private static func response(to request: RequestHead, _ file: OpenFile, named name: String) -> WebResponse {
        let (status, now) = (file.status, WallTime.now.seconds)
        let validators = FileValidators(
            number: status.number, size: status.size, modifiedSeconds: status.modifiedSeconds,
            modifiedNanoseconds: status.modifiedNanoseconds, now: now)
        let conditions = Preconditions(
            request.fields, tag: validators.tag, modifiedSeconds: validators.modifiedSeconds, now: now)
        switch conditions.outcome {
        case .hold: break
        case .notModified:
            return WebResponse(status: 304, fields: [validators.tagField, validators.timeField], content: .none)
        case .failed: return WebResponse(status: 412, text: "The file does not meet the conditions of the request.")
        }
        // RFC 9110 §14.2: Range applies only to GET, and only if the conditions are true.
        let range =
            request.method == "GET" && conditions.allowRange
            ? ByteRange(parsing: request.fields.all(named: "Range"), size: status.size) : .whole
        let type = HeaderField(wellFormedName: "Content-Type", value: MediaType.ofFile(named: name))
        let ranges = HeaderField(wellFormedName: "Accept-Ranges", value: "bytes")
        let fields = [type, validators.tagField, validators.timeField, ranges]
        switch range {
        case .whole: return WebResponse(status: 200, fields: fields, content: .file(file, 0..<status.size))
        case .part(let part):
            let value = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(status.size)"
            let contentRange = HeaderField(wellFormedName: "Content-Range", value: value)
            return WebResponse(status: 206, fields: fields + [contentRange], content: .file(file, part))
        case .unsatisfiable:
            // RFC 9110 §15.5.17: the response contains the current length.
            let contentRange = HeaderField(wellFormedName: "Content-Range", value: "bytes */\(status.size)")
            return WebResponse(
                status: 416, text: "The file has \(status.size) byte\(status.size == 1 ? "" : "s").",
                fields: [contentRange])
        }
    }

    /// The index page of a directory, with all entries that a request can name.
    private static func index(
        of directory: OpenDirectory, at path: RequestPath, in files: FileTree
    ) throws(IOError) -> DirectoryIndex {
        let (found, isCut) = try directory.entries(atMost: maximumEntries, where: RequestPath.isServed)
        let entries = found.compactMap { name, status -> DirectoryIndex.Entry? in
            let status = status.kind == .symbolicLink ? Self.status(of: path.names + [name], in: files) : status
            guard let status, status.kind == .directory || status.kind == .regular else { return nil }
            return DirectoryIndex.Entry(
                name: name, size: status.kind == .directory ? nil : status.size, modifiedSeconds: status.modifiedSeconds
            )
        }
        return DirectoryIndex(path: path, entries: entries, isCut: isCut)
    }

    /// The status of a link's target, or `nil` if it is not served.
    private static func status(of names: [String], in files: FileTree) -> FileStatus? {
        switch try? find(names, in: files) {
        case .file(let file): file.status
        case .directory(let directory): directory.status
        case nil: nil
        }
    }

    private static let indexName = "index.html"
    /// Enough for any reader. ``SiteCache`` keeps the page, which takes tens of milliseconds.
    private static let maximumEntries = 5000
}
