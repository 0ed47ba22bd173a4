import UserInterface
import WSCore

/// Builds the access policy from the arguments of `wsx listen`.
struct AccessComposition {
    /// The option of the credentials.
    let option: String
    /// The values of this option, each `USER:PASSWORD` or a reference to it.
    let credentials: [String]
    /// The values of `--bearer`, each a token or a reference to one.
    let tokens: [String]
    /// Resolves references to files and environment variables.
    let secrets: Secrets

    /// Returns the policy.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    func policy() throws(Failure) -> AccessPolicy {
        var policyCredentials: [Credentials] = []
        for credentials in credentials {
            policyCredentials.append(try Self.credentials(secrets.value(of: credentials, for: option), option))
        }
        var policyTokens: [BearerToken] = []
        for token in tokens {
            policyTokens.append(try Self.token(try secrets.value(of: token, for: "--bearer")))
        }
        return AccessPolicy(credentials: policyCredentials, tokens: policyTokens)
    }

    /// Parses `USER:PASSWORD`.
    /// - Parameter option: The option that has it.
    static func credentials(_ text: String, _ option: String) throws(Failure) -> Credentials {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // An empty password is more likely an unset variable than an intention.
        guard parts.count == 2, !parts[1].isEmpty else {
            throw .badArgument(what: option, why: "the password is missing; write USER:PASSWORD, @FILE, or env:NAME")
        }
        do throws(CredentialsError) {
            return try Credentials(user: String(parts[0]), password: String(parts[1]))
        } catch {
            throw .badArgument(what: option, why: "\(error)")
        }
    }

    private static func token(_ text: String) throws(Failure) -> BearerToken {
        do throws(BearerTokenError) {
            return try BearerToken(text)
        } catch {
            throw .badArgument(what: "--bearer", why: "\(error)")
        }
    }
}
