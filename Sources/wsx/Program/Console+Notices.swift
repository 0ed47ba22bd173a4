import Formats
import WSCore

// The notices that several commands have in common.
extension Console {
    /// Warns that no certificate is verified, with `--insecure`.
    func warnIfInsecure(_ isInsecure: Bool) {
        if isInsecure { notice("wsx: warning: certificates are not verified (--insecure)") }
    }

    /// Reports the limit that makes further clients wait.
    /// - Parameter isShared: Whether several threads of the process share the descriptors.
    func reportLimit<Handler: ConnectionHandler>(_ limit: Server<Handler>.Limit, isShared: Bool = false) {
        switch limit {
        case .descriptors(let count):
            let clients = count == 1 ? "1 client fills" : "\(count) clients fill"
            let limit = isShared ? "a thread's part of the descriptor limit" : "the descriptor limit"
            error("\(clients) \(limit): further ones wait; ulimit -n raises it")
        case .connections(let count):
            let clients = Phrase.count(count, "client")
            error("\(clients) at a time: further ones wait until one has left; --max-connections allows more")
        }
    }
}
