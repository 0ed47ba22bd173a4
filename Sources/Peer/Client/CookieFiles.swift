import Formats
import UserInterface
import WSCore

/// The cookie files of a client command: those that `--cookie` reads, and that of `--cookie-jar`.
package enum CookieFiles {
    /// The maximum size of a file to read. Larger than any that wsx writes in practice.
    private static let maximumBytes = 16 << 20

    /// Reads the files in order.
    /// - Parameter jar: The file to write. It may be missing.
    /// - Returns: The cookies, and a notice for each file with ignored lines.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func read(
        _ paths: [String], jar: String? = nil
    ) throws(Failure) -> (cookies: CookieStore, notices: [String]) {
        var cookies = CookieStore()
        var notices: [String] = []
        for path in paths {
            if File.isMissing(InputPlace.path(path)) {
                if path == jar { continue }
                // The value may be a cookie without its name, and is not shown.
                throw .badArgument(
                    what: "--cookie",
                    why: "the file does not exist; write name=value for a cookie, or --binary for binary messages")
            }
            let what = "--cookie \(escapingControls(path))"
            let file = CookieFile(
                parsing: try HeaderFiles.text(of: path, for: "--cookie", maximumBytes: maximumBytes))
            guard file.isPlausible else {
                throw .badArgument(
                    what: what, why: "it has no cookies in the format of curl; for name=value in a file, write @FILE")
            }
            let droppedCount = cookies.add(file, at: WallTime.now.seconds)
            let lostCount = droppedCount + file.malformedLineCount
            guard lostCount == 0 || !isSame(path, jar) else {
                throw .badArgument(
                    what: "--cookie-jar \(escapingControls(path))",
                    why: "\(Phrase.count(lostCount, "line")) of it would be lost: no cookies, or above the limits "
                        + "(50 per domain, 3,000 in all); name another file")
            }
            if file.malformedLineCount > 0 {
                notices.append(
                    "wsx: \(what): \(Phrase.count(file.malformedLineCount, "line")) without a cookie ignored")
            }
            if droppedCount > 0 {
                notices.append("wsx: \(what): \(Phrase.count(droppedCount, "cookie")) above the limit dropped")
            }
        }
        return (cookies, notices)
    }

    private static func isSame(_ path: String, _ other: String?) -> Bool {
        guard let other else { return false }
        return path == other || FileIdentity(path: path).map { $0 == FileIdentity(path: other) } ?? false
    }

    /// Checks the file to write, so that a run does not fail only at its end.
    /// - Parameters:
    ///   - sources: The command's input files without its cookie files: the jar may be one of those.
    ///   - outputs: The other output files of the command.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func check(
        jar path: String, against sources: [OutputPlace.Source], and outputs: [OutputPlace.Source]
    ) throws(Failure) {
        try OutputPlace(option: "--cookie-jar", path: path).check(against: sources)
        let what = "--cookie-jar \(escapingControls(path))"
        for (option, output) in outputs where isSame(path, output) {
            throw .badArgument(what: what, why: "\(option) writes the same file; name another file")
        }
        let isReplaceable: Bool
        do throws(IOError) {
            isReplaceable = try File.canReplace(path)
        } catch {
            throw .badArgument(what: what, why: error.fileProblem)
        }
        guard isReplaceable else {
            throw .badArgument(what: what, why: "it is a directory, a device, or a symbolic link; name another file")
        }
    }
}
