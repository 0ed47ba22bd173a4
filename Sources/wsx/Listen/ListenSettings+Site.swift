import WSCore

// What a browser finds on the port.
extension ListenSettings {
    /// What answers requests that ask for no WebSocket.
    var site: Site { Site(policy: policy, pages: pages) }

    /// The pages that are part of the program, by what the arguments ask for.
    private var pages: [WebPage] {
        arguments.servesConsole ? [ConsolePage(path: policy.path ?? "/").webPage] : []
    }
}
