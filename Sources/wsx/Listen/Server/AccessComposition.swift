import WSCore

/// Who may come in, from what the arguments of `wsx listen` say.
struct AccessComposition {
    /// What was typed: each `USER:PASSWORD`.
    let credentials: [String]
    /// What was typed: each a token.
    let tokens: [String]
    /// Reads what need not stand on the command line.
    let secrets: Secrets

    /// The policy, or ``Failure/badArgument(what:why:)``, which shows no secret.
    func policy() throws(Failure) -> AccessPolicy {
        var policyCredentials: [Credentials] = []
        for credentials in credentials {
            policyCredentials.append(try Self.credentials(try secrets.value(of: credentials, for: "--auth")))
        }
        var policyTokens: [BearerToken] = []
        for token in tokens {
            policyTokens.append(try Self.token(try secrets.value(of: token, for: "--bearer")))
        }
        return AccessPolicy(credentials: policyCredentials, tokens: policyTokens)
    }

    private static func credentials(_ text: String) throws(Failure) -> Credentials {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // An empty password is rather a variable that was not set.
        guard parts.count == 2, !parts[1].isEmpty else {
            throw .badArgument(what: "--auth", why: "there is no password; write USER:PASSWORD, @FILE or env:NAME")
        }
        do throws(CredentialsError) {
            return try Credentials(user: String(parts[0]), password: String(parts[1]))
        } catch {
            throw .badArgument(what: "--auth", why: "\(error)")
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
