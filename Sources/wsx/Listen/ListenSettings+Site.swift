import WSCore

// What a browser finds on the port.
extension ListenSettings {
    /// What answers requests that ask for no WebSocket.
    var site: Site { Site(policy: policy, pages: pages, files: files) }

    /// The pages that are part of the program, by what the arguments ask for.
    private var pages: [WebPage] {
        arguments.servesConsole ? [ConsolePage(path: policy.path ?? "/").webPage] : []
    }

    /// The files of `--serve`, or ``Failure/badArgument(what:why:)``.
    static func files(_ arguments: ListenArguments) throws(Failure) -> FileTree? {
        guard let path = arguments.servedDirectory else { return nil }
        do throws(IOError) {
            return try FileTree(path)
        } catch {
            throw .badArgument(what: "--serve '\(escapingControls(path))'", why: "\(error); name a directory")
        }
    }
}
