import Formats
import WSCore

// Notices that several commands share.
extension Console {
    /// Warns that `--insecure` disables the verification of certificates.
    func warnIfInsecure(_ isInsecure: Bool) {
        if isInsecure { notice("wsx: warning: certificates are not verified (--insecure)") }
    }

    /// Reports that a limit makes new clients wait.
    /// - Parameter isShared: Whether several threads of the process share the descriptors.
    func reportLimit<Handler: ConnectionHandler>(_ limit: Server<Handler>.Limit, isShared: Bool = false) {
        switch limit {
        case .descriptors(let count):
            let limit = isShared ? "a thread's share of the limit on open files" : "the limit on open files"
            error(
                "\(limit) is reached with \(Phrase.count(count, "client")): new clients wait; raise it with 'ulimit -n'"
            )
        case .connections(let count):
            let clients = Phrase.count(count, "client")
            error("the limit of \(clients) is reached: new clients wait; raise --max-connections to serve more")
        }
    }
}
