import UserInterface
import WSCore

/// The user's .netrc file, which `--netrc` reads.
///
/// As in curl, a missing file is an error, and a file without an entry for the host is not. Unlike the configuration
/// file, it may be readable by others: curl and git do not check that either.
struct NetrcFile {
    /// Looks up an environment variable.
    let environment: (String) -> String?

    /// The largest file to read.
    private static let maximumBytes = 1 << 20

    /// The path: `$NETRC`, or `.netrc` in the home directory. Returns `nil` if the home directory is unknown.
    private var path: String? {
        if let path = environment("NETRC"), !path.isEmpty { return path }
        guard let home = environment("HOME"), !home.isEmpty else { return nil }
        return home + "/.netrc"
    }

    /// The credentials for the host of a URL, and for its user if it has one, or `nil` if the file has none.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no password.
    func credentials(for url: WebSocketURL) throws(Failure) -> Credentials? {
        guard let path else {
            throw .badArgument(what: "--netrc", why: "the home directory is unknown; set HOME or NETRC")
        }
        let bytes = try HeaderFiles.text(of: path, for: "--netrc", maximumBytes: Self.maximumBytes)
        let place = "--netrc \(escapingControls(path))"
        let netrc: Netrc
        do throws(NetrcError) {
            netrc = try Netrc(parsing: bytes)
        } catch {
            throw .badArgument(what: "\(place), line \(error.line)", why: "\(error)")
        }
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
