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
