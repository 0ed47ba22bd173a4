import Peer
import UserInterface
import WSCore

extension ConnectSettings {
    /// Writes the cookies of the run to the file of `--cookie-jar`, if there is one.
    /// - Returns: The failure, or `nil` if there was none.
    package func saveCookies() -> Failure? {
        guard let path = arguments.client.request.cookieJar else { return nil }
        do throws(IOError) {
            let contents = CookieFile.contents(of: connectorResources.cookies, at: WallTime.now.seconds)
            try File.replace(path, with: contents)
            return nil
        } catch {
            return .writing(path: path, error)
        }
    }
}

extension ConnectArguments {
    /// Checks the file of `--cookie-jar` against the other files of the command. It may be one of the cookie files.
    func checkCookieJar() throws(Failure) {
        guard let path = client.request.cookieJar else { return }
        let cookieFiles = client.request.cookieFiles
        try CookieFiles.check(
            jar: path,
            against: readFiles.filter { source in
                source.option != "--cookie" || !cookieFiles.contains { $0 == source.path }
            },
            and: [("--record", transcript.recordPath), ("--junit", scenario.junitPath)])
    }
}
