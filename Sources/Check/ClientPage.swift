import Conformance
import UserInterface
import WSCore

/// A page of `wsx check --listen`: the one at `/` checks the browser that opens it, and `/report` has the results so far.
struct ClientPage {
    /// Whether the page is `/report`.
    let hasResults: Bool
    private let request: RequestHead

    /// Returns `nil` for an upgrade, for other paths, and over HTTP/2.
    init?(_ request: Head, at path: String) {
        let words = request.line.split(separator: " ")
        guard words.count == 3, words[2] != "HTTP/2", ["/", "/report"].contains(path),
            request.values(of: "Upgrade").isEmpty
        else {
            return nil
        }
        hasResults = path == "/report"
        let hosts = request.values(of: "Host").map { HeaderField(wellFormedName: "Host", value: $0) }
        self.request = RequestHead(method: String(words[0]), target: String(words[1]), fields: HTTPFields(hosts))
    }

    /// Which requests get pages: those that `wsx listen --console` would answer.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    static func policy() throws(Failure) -> ServerPolicy {
        do throws(ServerPolicyError) {
            return try ServerPolicy(hasOriginOption: false)
        } catch {
            throw .badArgument(what: "--listen", why: "\(error)")
        }
    }

    /// The URL of the page that checks a browser. Browsers cannot open a wildcard address.
    static func url(at address: SocketAddress, isSecure: Bool) -> String {
        let host = address.hostBytes.allSatisfy { $0 == 0 } ? "localhost:\(address.port)" : "\(address)"
        return "\(isSecure ? "https" : "http")://\(host)/"
    }

    /// Sends the page, and closes the stream.
    /// - Parameter completion: Receives the status.
    func send(
        _ reports: [CheckReport], _ settings: CheckSettings, policy: ServerPolicy, on stream: any ByteStream,
        completion: @escaping (_ status: Int) -> Void
    ) {
        let page =
            hasResults
            ? EmbeddedPage.checkResults.webPage(at: "/report", text: ResultsPage(of: reports, settings).text)
            : EmbeddedPage.checkBrowser.webPage(at: "/", text: EmbeddedPage.checkBrowser.text(replacing: [:]))
        PageAnswer.send([page], for: request, policy: policy, on: stream, completion: completion)
    }
}
