/// Decides by a name whether its value is likely a secret. Header fields, query parameters, members of JSON, lines of the
/// history, and entries of configuration files share this rule.
///
/// When in doubt, a value counts as secret: services invent names for their keys.
package enum SecretName {
    /// Whether a name suggests that its value is a secret. Words are separated by other characters than letters and
    /// digits, and by capital letters: `X-App-Key`, `access_token`, `sessionId`.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        isSecret(Array(name.utf8))
    }

    /// See ``isSecret(_:)-(StringProtocol)``.
    package static func isSecret(_ name: [UInt8]) -> Bool {
        let parts = words(of: name, splitsCamelCase: false)
        let letters = Array(parts.joined())
        if cookieNames.contains(where: { letters.elementsEqual($0.utf8) }) || hasStem(letters) { return true }
        return hasWord(parts) || hasWord(words(of: name, splitsCamelCase: true))
    }

    /// The parts of names that mark a secret, for the manual.
    package static var allWords: [String] { (stems + words + ["key"]).sorted() }

    /// Compared anywhere in a name, without separators.
    private static let stems = [
        "auth", "token", "secret", "passw", "passphrase", "passcode", "passkey", "credential", "session", "sessid",
        "signature", "bearer", "jwt", "csrf", "xsrf", "dpop", "hmac", "login", "logon", "mnemonic", "tkn", "pwd",
        "pswd",
        "apikey", "accesskey", "privatekey",
    ]
    /// Compared with whole words: many other words contain them.
    private static let words = [
        "pass", "psw", "pw", "pin", "otp", "totp", "mfa", "tok", "sig", "sign", "signin", "sid", "sess", "cred",
        "creds",
        "psk", "sas", "sso", "saml", "ticket", "assertion", "verifier",
    ]
    /// RFC 6265 §4: other fields with "cookie" in their name carry preferences, not cookies.
    private static let cookieNames = ["cookie", "cookies", "setcookie", "setcookie2"]
    /// What makes a following "key" harmless, in the same word or before it.
    private static let harmlessKeys = [
        "cache", "foreign", "idempotency", "partition", "primary", "public", "routing", "sort", "surrogate",
        "mon", "tur", "don", "whis", "hot", "joc", "hoc",
    ]

    private static func hasStem(_ letters: [UInt8]) -> Bool {
        letters.indices.contains { index in
            let rest = letters[index...]
            guard stems.contains(where: { rest.starts(with: $0.utf8) }) else { return false }
            if rest.starts(with: "tokeniz".utf8) { return false }
            // Authors and authorities are no authorization.
            let isAuthor = rest.starts(with: "author".utf8)
            return !isAuthor || rest.starts(with: "authoriz".utf8) || rest.starts(with: "authoris".utf8)
        }
    }

    private static func hasWord(_ parts: [[UInt8]]) -> Bool {
        parts.indices.contains { index in
            // `key2`
            let digitCount = parts[index].reversed().prefix(while: ASCII.isDigit).count
            let word = parts[index].dropLast(digitCount)
            if words.contains(where: { word.elementsEqual($0.utf8) }) { return true }
            // `wskey` has many relatives.
            guard word.suffix(3).elementsEqual("key".utf8) else { return false }
            let kind = word.count > 3 ? word.dropLast(3) : index > 0 ? parts[index - 1][...] : []
            return !harmlessKeys.contains { kind.elementsEqual($0.utf8) }
        }
    }

    /// The words of a name, in lower case.
    private static func words(of name: [UInt8], splitsCamelCase: Bool) -> [[UInt8]] {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for (index, byte) in name.enumerated() {
            let isUpper = ASCII.lowercased(byte) != byte
            if splitsCamelCase, isUpper, index > 0 {
                // The first letter of `Key` in `accessKey` and `APIKey`.
                let followsLower = ASCII.lowercased(name[index - 1]) == name[index - 1]
                let precedesLower =
                    index + 1 < name.count && ASCII.isLetter(name[index + 1])
                    && ASCII.lowercased(name[index + 1]) == name[index + 1]
                if followsLower || precedesLower, !word.isEmpty {
                    words.append(word)
                    word = []
                }
            }
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) {
                word.append(ASCII.lowercased(byte))
            } else if !word.isEmpty {
                words.append(word)
                word = []
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
