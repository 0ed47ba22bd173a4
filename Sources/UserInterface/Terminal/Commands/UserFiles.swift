import Glibc

/// Paths that users type without a shell.
package enum UserFiles {
    /// The path with a leading `~` expanded to the home directory.
    package static func expandingHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
