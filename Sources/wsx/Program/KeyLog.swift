import WSCore

/// The file named by SSLKEYLOGFILE. It receives the secrets of TLS sessions, with which a network analyzer can decrypt
/// captured traffic.
enum KeyLog {
    /// Returns a function that appends a line to the file, or nil if the variable is not set.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` if the file cannot be written.
    static func writer(environment: (String) -> String?) throws(Failure) -> (@Sendable (String) -> Void)? {
        guard let path = environment("SSLKEYLOGFILE"), !path.isEmpty else { return nil }
        do throws(IOError) {
            try File.append([], to: path)
        } catch {
            throw .badArgument(what: "SSLKEYLOGFILE \(escapingControls(path))", why: "\(error)")
        }
        // A disk that fills up later should not end the session.
        return { line in try? File.append(Array("\(line)\n".utf8), to: path) }
    }
}
