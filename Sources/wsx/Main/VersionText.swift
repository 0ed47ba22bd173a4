import Formats
import UserInterface
import WSCore

/// The text of `wsx --version`.
enum VersionText {
    /// Returns the version of wsx on a line.
    /// - Parameter isVerbose: Whether lines with the versions of the libraries follow.
    static func text(isVerbose: Bool) -> String {
        let libraries = isVerbose ? Self.libraries : []
        return "wsx \(version)\n" + libraries.map { "\($0.name) \($0.version)\n" }.joined()
    }

    private static var libraries: [LibraryVersion] {
        [.libidn2, .msgpack, .nghttp2, .openSSL, .pcre2, .readline, .zlib]
    }
}
