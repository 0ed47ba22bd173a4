import Foundation

@testable import WSCore

extension FuzzTarget {
    /// Paths of requests, and directory pages with names taken from them.
    ///
    /// - Names are the unescaped segments of the path, and no name leads elsewhere.
    /// - Paths survive serialization and parsing, and never become a URL of another server.
    /// - No part of a name becomes HTML, and each link leads to its name.
    static let requestPaths = FuzzTarget(name: "request-paths") { input in
        let text = String(decoding: input, as: UTF8.self)
        guard let path = try? RequestPath(parsing: text) else { return }
        let pieces = text.split(separator: "/" as Character, omittingEmptySubsequences: true)
        // A combining mark after a slash forms a different character with it.
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            expectEqual(path.names, pieces.compactMap { $0.removingPercentEncoding }, "the names")
        }
        for name in path.names { checkName(name) }
        let written = path.directoryText
        expect(written.hasPrefix("/") && !written.hasPrefix("//"), "the path is written as \(written)")
        expect(written.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the path is written as \(written)")
        guard let again = try? RequestPath(parsing: written) else { unexpected("\(written) is not a path") }
        expectEqual(again.names, path.names, "the names of the written path")
        expect(again.endsWithSlash, "\(written) does not end with a slash")
        checkPage(of: path)
    }

    private static func checkName(_ name: String) {
        let isOne = !name.isEmpty && !name.utf8.contains { $0 == 0 || "/\\".utf8.contains($0) }
        expect(isOne, "a name leads elsewhere: \(name)")
        expect(name.utf8.first != UInt8(ascii: ".") || name == ".well-known", "a hidden name is served: \(name)")
        expect(RequestPath.isServed(name), "a name is both served and hidden: \(name)")
    }

    private static func checkPage(of path: RequestPath) {
        let entries = path.names.map { DirectoryIndex.Entry(name: $0, size: 1, modifiedSeconds: 0) }
        let page = DirectoryIndex(path: path, entries: entries, isCut: false).html
        guard let plainPath = try? RequestPath(parsing: path.names.isEmpty ? "/" : "/a/") else { return }
        let plainEntries = path.names.map { _ in DirectoryIndex.Entry(name: "a", size: 1, modifiedSeconds: 0) }
        let plain = DirectoryIndex(path: plainPath, entries: plainEntries, isCut: false).html
        for character in "<>\"\r".utf8 {
            let counts = [page, plain].map { page in page.utf8.count { $0 == character } }
            expectEqual(counts[0], counts[1], "the number of characters \(character)")
        }
    }
}
