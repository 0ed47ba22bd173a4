import WSCore

/// The file that the variable SSLKEYLOGFILE names, to which the secrets of TLS sessions are appended, so that a network
/// analyser can read what was captured.
enum KeyLog {
    /// What appends a line to the file; nil: there is no such variable.
    ///
    /// Throws ``Failure/badArgument(what:why:)`` where the file cannot be written.
    static func writer(environment: (String) -> String?) throws(Failure) -> (@Sendable (String) -> Void)? {
        guard let path = environment("SSLKEYLOGFILE"), !path.isEmpty else { return nil }
        do throws(IOError) {
            try File.append([], to: path)
        } catch {
            throw .badArgument(what: "SSLKEYLOGFILE \(escapingControls(path))", why: "\(error)")
        }
        // A disk that fills up later is no reason to end a session.
        return { line in try? File.append(Array("\(line)\n".utf8), to: path) }
    }
}
