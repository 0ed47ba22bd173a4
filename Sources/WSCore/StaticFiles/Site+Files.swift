// What comes from files.
extension Site {
    /// The answer for the file or directory that a request names; nil: there is none.
    func response(to request: RequestHead, from files: FileTree) -> WebResponse? {
        do throws(RequestPathError) {
            let path = try RequestPath(parsing: request.path ?? "")
            return response(to: request, path, from: files)
        } catch {
            return error == .malformed ? WebResponse(status: 400, text: "No file can have this path.") : nil
        }
    }

    private func response(to request: RequestHead, _ path: RequestPath, from files: FileTree) -> WebResponse? {
        do throws(IOError) {
            switch try Self.find(path.names, in: files) {
            case .file(let file):
                guard !path.endsWithSlash, let name = path.names.last else { return nil }
                return Self.response(to: request, file, named: name)
            case .directory where !path.endsWithSlash && !path.names.isEmpty:
                return redirection(of: request, to: path)
            case .directory(let directory):
                if let file = try indexFile(at: path, in: files) {
                    return Self.response(to: request, file, named: Self.indexName)
                }
                return try index(of: directory, at: path, in: files)
            }
        } catch {
            return Self.response(to: error)
        }
    }

    /// What no request can name is not reached by another name, either: whoever made a link, as one that came with a
    /// repository, may be as much of a stranger as who asks.
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

    /// RFC 9110 §15.4.2: relative links of a directory's page are meant from the path with a slash at its end.
    private func redirection(of request: RequestHead, to path: RequestPath) -> WebResponse {
        let location = path.directoryText + (request.query.map { "?\($0)" } ?? "")
        return WebResponse(
            status: 301, text: "This is a directory: \(path.directoryText)",
            fields: [HeaderField(wellFormedName: "Location", value: location)])
    }

    private static func response(to error: IOError) -> WebResponse? {
        switch error {
        case .accessDenied: WebResponse(status: 403, text: "The server may not read this.")
        case .tooManyOpenFiles, .fileTableFull, .outOfMemory:
            WebResponse(status: 503, text: "The server is short of files or memory; try again.")
        // No such name, one that is too long, or no directory on the way.
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
        case .notModified: return WebResponse(status: 304, fields: validators.fields, content: .none)
        case .failed: return WebResponse(status: 412, text: "The file is not as the request says.")
        }
        // RFC 9110 §14.2: Range is for GET alone, and for when the conditions hold.
        let range =
            request.method == "GET" && conditions.allowRange
            ? ByteRange(parsing: request.fields.all(named: "Range"), size: status.size) : .whole
        let type = HeaderField(wellFormedName: "Content-Type", value: MediaType.ofFile(named: name))
        let fields = [type] + validators.fields + [HeaderField(wellFormedName: "Accept-Ranges", value: "bytes")]
        switch range {
        case .whole: return WebResponse(status: 200, fields: fields, content: .file(file, 0..<status.size))
        case .part(let part):
            let value = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(status.size)"
            let contentRange = HeaderField(wellFormedName: "Content-Range", value: value)
            return WebResponse(status: 206, fields: fields + [contentRange], content: .file(file, part))
        case .unsatisfiable:
            // RFC 9110 §15.5.17: the answer says how long the file is.
            let contentRange = HeaderField(wellFormedName: "Content-Range", value: "bytes */\(status.size)")
            return WebResponse(status: 416, text: "The file has \(status.size) bytes.", fields: [contentRange])
        }
    }

    /// The page of a directory, with all that a request can name.
    private func index(
        of directory: OpenDirectory, at path: RequestPath, in files: FileTree
    ) throws(IOError) -> WebResponse {
        let (found, isCut) = try directory.entries(atMost: Self.maximumEntries, where: RequestPath.isServed)
        let entries = found.compactMap { name, status -> DirectoryIndex.Entry? in
            let status = status.kind == .symbolicLink ? Self.status(of: path.names + [name], in: files) : status
            guard let status, status.kind == .directory || status.kind == .regular else { return nil }
            return DirectoryIndex.Entry(
                name: name, size: status.kind == .directory ? nil : status.size, modifiedSeconds: status.modifiedSeconds
            )
        }
        let html = DirectoryIndex(path: path, entries: entries, isCut: isCut).html
        return WebResponse(
            status: 200,
            fields: [
                HeaderField(wellFormedName: "Content-Type", value: MediaType.html),
                HeaderField(wellFormedName: "Content-Security-Policy", value: DirectoryIndex.securityPolicy),
            ], content: .bytes(Array(html.utf8)))
    }

    /// What is at the end of a link; nil: nothing that is served.
    private static func status(of names: [String], in files: FileTree) -> FileStatus? {
        switch try? find(names, in: files) {
        case .file(let file): file.status
        case .directory(let directory): directory.status
        case nil: nil
        }
    }

    private static let indexName = "index.html"
    /// Enough for whoever looks at it, and read in a few milliseconds.
    private static let maximumEntries = 5000
}
