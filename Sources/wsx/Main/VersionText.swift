import CCommit
import Formats
import UserInterface
import WSCore

/// The text of `wsx --version`.
enum VersionText {
    /// Returns the version of wsx on a line; between releases with the commit, if that is known.
    /// - Parameter isVerbose: Whether lines with the versions of the libraries follow.
    static func text(
        version: String = version, commit: String = String(cString: wsx_commit()), isVerbose: Bool
    ) -> String {
        let libraries = isVerbose ? Self.libraries : []
        let build = version.hasSuffix("-dev") && !commit.isEmpty ? " (\(commit))" : ""
        return "wsx \(version)\(build)\n" + libraries.map { "\($0.name) \($0.version)\n" }.joined()
    }

    private static var libraries: [LibraryVersion] {
        [.libidn2, .msgpack, .nghttp2, .openSSL, .pcre2, .readline, .zlib]
    }
}
