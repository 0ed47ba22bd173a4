#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Paths as people type them where no shell is at hand.
enum UserFiles {
    /// The path with the home directory in place of a `~` at its beginning.
    static func expandingHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
