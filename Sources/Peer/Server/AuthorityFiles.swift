import UserInterface
import WSCore

/// The files of the authority for `wsx relay` as an HTTP proxy: `ca.pem` and `ca.key`, by default in `wsx/ca` of the user's
/// state directory. They are created when they are first needed.
package struct AuthorityFiles {
    private let option: String?
    private let path: String
    private static let subject = "authority of the proxy"
    private static let certificate = "ca.pem"
    private static let key = "ca.key"

    /// - Parameters:
    ///   - directory: The value of `--proxy-ca`, or `nil` for the default.
    ///   - environment: Looks up an environment variable.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the user's directory is unknown.
    package init(in directory: String?, environment: (String) -> String?) throws(Failure) {
        option = directory.map { _ in "--proxy-ca" }
        guard let path = directory ?? HistoryLocation.stateDirectory(environment).map({ "\($0)/wsx/ca" }) else {
            throw .badArgument(
                what: Self.subject, why: "the home directory is unknown; set HOME, or use --proxy-ca DIR")
        }
        self.path = path
    }

    /// Reads the authority, or creates it. Processes that start at once get the same one.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func authority() throws(Failure) -> CertificateAuthority {
        do {
            let now = WallTime.now.seconds
            let (certificate, key) = try pair(nowSeconds: now)
            guard let certificate else { throw PrivateDirectory.Problem(.failed(.noSuchFile), of: Self.certificate) }
            guard let key else { throw PrivateDirectory.Problem(.failed(.noSuchFile), of: Self.key) }
            return try CertificateAuthority(
                TLSCertificateSource(chain: certificate, key: key), files: (file(Self.certificate), file(Self.key)),
                nowSeconds: now)
        } catch let problem as PrivateDirectory.Problem {
            throw failure("'\(file(problem.name))': \(words(problem))")
        } catch TLSConfigurationError.passphraseNeeded {
            throw failure("'\(file(Self.key))' is encrypted; decrypt it with 'openssl pkey'")
        } catch {
            throw failure("\(error)")
        }
    }

    /// The contents of the files, or `nil` for one that is missing.
    private func pair(nowSeconds: Int) throws -> (certificate: [UInt8]?, key: [UInt8]?) {
        let directory = try PrivateDirectory(path)
        func read() throws(PrivateDirectory.Problem) -> ([UInt8]?, [UInt8]?) {
            (try directory.read(Self.certificate, isSecret: false), try directory.read(Self.key, isSecret: true))
        }
        let pair = try read()
        if pair.0 != nil, pair.1 != nil { return pair }
        try directory.lock()
        // Another process may have created them meanwhile.
        let current = try read()
        guard current == (nil, nil) else { return current }
        let owner = (Machine.userName.map { "\($0)@" } ?? "") + Machine.hostName
        let source = try CertificateAuthority.generate(owner: owner, nowSeconds: nowSeconds)
        try directory.write(source.key ?? [], to: Self.key, mode: 0o600)
        try directory.write(source.chain, to: Self.certificate, mode: 0o644)
        return (source.chain, source.key)
    }

    private func file(_ name: String?) -> String { escapingControls(path + (name.map { "/\($0)" } ?? "")) }

    private func failure(_ why: String) -> Failure { .badArgument(what: option ?? Self.subject, why: why) }

    private func words(_ problem: PrivateDirectory.Problem) -> String {
        switch problem.reason {
        case .symbolicLink: "it is a symbolic link; use the file or directory that it leads to"
        case .foreign: "it belongs to another user; use a file or directory of your own"
        case .shared where problem.name == Self.key:
            "other users can read or write it; run 'chmod 600 \(file(problem.name))'"
        case .shared: "other users can write it; run 'chmod go-w \(file(problem.name))'"
        case .busy: "another process holds the lock; try again later"
        case .notRegular: "it is not a regular file; restore it"
        case .failed(.noSuchFile) where problem.name != nil: "it is missing; restore it, or delete the other file, too"
        case .failed(let error): "\(error); check the path and its permissions"
        }
    }
}
