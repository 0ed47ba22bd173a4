import UserInterface
import WSCore

/// The user's .netrc file, which `--netrc` reads.
///
/// As in curl, a missing file is an error, and a file without an entry for the host is not. Unlike the configuration
/// file, it may be readable by others: curl and git do not check that either.
struct NetrcFile: Sendable {
    private let netrc: Netrc
    /// The option and the path, for errors.
    private let place: String

    /// The largest file to read.
    private static let maximumBytes = 1 << 20

    /// Reads `$NETRC`, or `.netrc` in the home directory.
    /// - Parameter environment: Looks up an environment variable.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    init(environment: (String) -> String?) throws(Failure) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        guard let path = value("NETRC") ?? value("HOME").map({ $0 + "/.netrc" }) else {
            throw .badArgument(what: "--netrc", why: "the home directory is unknown; set HOME or NETRC")
        }
        let bytes = try HeaderFiles.text(of: path, for: "--netrc", maximumBytes: Self.maximumBytes)
        place = "--netrc \(escapingControls(path))"
        do throws(NetrcError) {
            netrc = try Netrc(parsing: bytes)
        } catch {
            throw .badArgument(what: "\(place), line \(error.line)", why: "\(error)")
        }
    }

    /// The credentials for the host of a URL, and for its user if it has one, or `nil` if the file has none, or the URL has
    /// a password.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    func credentials(for url: WebSocketURL) throws(Failure) -> Credentials? {
        guard url.userInfo?.password.isEmpty ?? true else { return nil }
        guard case .tcp(let host, _) = url.endpoint, let entry = netrc.entry(for: host, user: url.userInfo?.user) else {
            return nil
        }
        guard let user = url.userInfo?.user ?? entry.login else {
            throw .badArgument(
                what: "\(place), line \(entry.line)", why: "the entry has no login; add one, or write USER@ in the URL")
        }
        do throws(CredentialsError) {
            return try Credentials(user: user, password: entry.password ?? "")
        } catch {
            throw .badArgument(what: "\(place), line \(entry.line)", why: "\(error)")
        }
    }
}
