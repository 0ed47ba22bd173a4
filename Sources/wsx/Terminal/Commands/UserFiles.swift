import Glibc

/// Paths that users type without a shell.
enum UserFiles {
    /// The path with a leading `~` expanded to the home directory.
    static func expandingHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
