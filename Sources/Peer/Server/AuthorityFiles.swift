import UserInterface
import WSCore

/// The files of the authority for `wsx relay` as an HTTP proxy: `ca.pem` and `ca.key`, by default in `wsx/ca` of the user's
/// state directory. They are created when they are first needed.
package struct AuthorityFiles {
    private let option: String?
    private let path: String
    private var what: String { option ?? "authority of the proxy" }

    /// - Parameters:
    ///   - directory: The value of `--proxy-ca`, or `nil` for the default.
    ///   - environment: Looks up an environment variable.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the user's directory is unknown.
    package init(in directory: String?, environment: (String) -> String?) throws(Failure) {
        option = directory.map { _ in "--proxy-ca" }
        guard let path = directory ?? HistoryLocation.stateDirectory(environment).map({ "\($0)/wsx/ca" }) else {
            throw .badArgument(
                what: "authority of the proxy", why: "the home directory is unknown; set HOME, or use --proxy-ca DIR")
        }
        self.path = path
    }

    /// Reads the authority, or creates it. Processes that start at once get the same one.
    /// - Parameter user: The name of the user, for a new authority.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func authority(ofUser user: String?) throws(Failure) -> CertificateAuthority {
        let directory: PrivateDirectory
        do throws(PrivateDirectory.Problem) {
            directory = try PrivateDirectory(path)
        } catch {
            throw failure(error)
        }
        var pair = try read(directory)
        if pair.certificate == nil || pair.key == nil {
            do throws(PrivateDirectory.Problem) { try directory.lock() } catch { throw failure(error, "lock") }
            // Another process may have created them meanwhile.
            pair = try read(directory)
            if pair == (nil, nil) { pair = try create(in: directory, user: user) }
        }
        guard let certificate = pair.certificate, let key = pair.key else {
            let (missing, other) = pair.key == nil ? ("ca.key", "ca.pem") : ("ca.pem", "ca.key")
            throw failure("'\(file(missing))' is missing; restore it, or delete \(other) for a new authority")
        }
        do throws(TLSConfigurationError) {
            return try CertificateAuthority(
                TLSCertificateSource(chain: certificate, key: key), files: (file("ca.pem"), file("ca.key")),
                nowSeconds: WallTime.now.seconds)
        } catch {
            guard error != .passphraseNeeded else {
                throw failure("'\(file("ca.key"))' is encrypted; decrypt it with 'openssl pkey'")
            }
            throw failure("\(error)")
        }
    }

    private func read(_ directory: PrivateDirectory) throws(Failure) -> (certificate: [UInt8]?, key: [UInt8]?) {
        let read = { (name: String, isSecret: Bool) throws(Failure) in
            do throws(PrivateDirectory.Problem) {
                return try directory.read(name, isSecret: isSecret)
            } catch {
                throw failure(error, name)
            }
        }
        return (try read("ca.pem", false), try read("ca.key", true))
    }

    private func create(
        in directory: PrivateDirectory, user: String?
    ) throws(Failure) -> (certificate: [UInt8]?, key: [UInt8]?) {
        let source: TLSCertificateSource
        do throws(TLSConfigurationError) {
            source = try CertificateAuthority.generate(
                owner: (user.map { "\($0)@" } ?? "") + Machine.hostName, nowSeconds: WallTime.now.seconds)
        } catch {
            throw failure("\(error)")
        }
        do throws(PrivateDirectory.Problem) {
            try directory.write(source.key ?? [], to: "ca.key", mode: 0o600)
            try directory.write(source.chain, to: "ca.pem", mode: 0o644)
        } catch {
            throw failure(error)
        }
        return (source.chain, source.key)
    }

    private func file(_ name: String) -> String { escapingControls("\(path)/\(name)") }

    private func failure(_ why: String) -> Failure { .badArgument(what: what, why: why) }

    private func failure(_ problem: PrivateDirectory.Problem, _ name: String? = nil) -> Failure {
        let place = name.map(file) ?? escapingControls(path)
        let why =
            switch problem {
            case .symbolicLink: "it is a symbolic link; use the file or directory that it leads to"
            case .foreign: "it belongs to another user; use a directory of your own"
            case .shared where name == nil: "other users can write it; run 'chmod go-w \(place)'"
            case .shared: "other users can read or write it; run 'chmod 600 \(place)'"
            case .busy: "another process holds the lock; try again later"
            case .failed(let error): "\(error); check the path and its permissions"
            }
        return failure("'\(place)': \(why)")
    }
}
