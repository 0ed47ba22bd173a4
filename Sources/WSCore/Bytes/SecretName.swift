/// Decides by a name whether its value is likely a secret. Header fields, query parameters, members of JSON, lines of the
/// history, and entries of configuration files share this rule.
///
/// When in doubt, a value counts as secret: services invent names for their keys.
public enum SecretName {
    /// Whether a name suggests that its value is a secret. Words are separated by other characters than letters and
    /// digits, and by capital letters: `X-App-Key`, `access_token`, `sessionId`.
    public static func isSecret(_ name: some StringProtocol) -> Bool {
        isSecret(Array(name.utf8))
    }

    /// See ``isSecret(_:)-(StringProtocol)``.
    public static func isSecret(_ name: [UInt8]) -> Bool {
        let parts = words(of: name, splitsCamelCase: false)
        let letters = Array(parts.joined())
        if cookieNames.contains(where: { letters.elementsEqual($0.utf8) }) || hasStem(letters) { return true }
        return hasWord(parts) || hasWord(words(of: name, splitsCamelCase: true))
    }

    /// The parts of names that mark a secret, for the manual.
    public static var allWords: [String] { (stems + words).sorted() }

    /// Compared anywhere in a name, without separators.
    private static let stems = [
        "auth", "token", "secret", "passw", "passphrase", "passcode", "passkey", "credential", "session", "sessid",
        "signature", "bearer", "jwt", "csrf", "xsrf", "dpop", "hmac", "login", "logon", "mnemonic",
        "apikey", "accesskey", "authkey", "privatekey", "masterkey", "functionskey", "subscriptionkey", "sharedkey",
        "signingkey", "encryptionkey", "appkey",
    ]
    /// Compared with whole words: many other words contain them.
    private static let words = [
        "key", "pass", "pwd", "pw", "pin", "otp", "totp", "sig", "sign", "signin", "sid", "cred", "creds", "psk", "sas",
        "sso", "saml", "ticket", "assertion", "verifier",
    ]
    /// RFC 6265 §4: other fields with "cookie" in their name carry preferences, not cookies.
    private static let cookieNames = ["cookie", "cookies", "setcookie"]
    /// Words before "key" that make it harmless.
    private static let harmlessKeys = [
        "cache", "foreign", "idempotency", "partition", "primary", "public", "routing", "sort", "surrogate",
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
            guard words.contains(where: { word.elementsEqual($0.utf8) }) else { return false }
            guard index > 0, word.elementsEqual("key".utf8) else { return true }
            return !harmlessKeys.contains { parts[index - 1].elementsEqual($0.utf8) }
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

/// Finds what is likely a secret in text of any form.
public enum SecretText {
    /// What replaces a secret.
    public static let mask = "•••"

    /// Whether the text contains a name that suggests a secret, in any position.
    public static func hasName(_ text: some Sequence<UInt8>) -> Bool {
        Array(text).split(whereSeparator: { !isNameByte($0) }).contains {
            $0.count <= maximumNameBytes && SecretName.isSecret(Array($0))
        }
    }

    /// Whether the text gives a value to a name that suggests a secret: `token=x`, `"token": "x"`.
    public static func assignsSecret(_ text: some Sequence<UInt8>) -> Bool {
        let bytes = Array(text)
        var index = 0
        while index < bytes.count {
            let name = bytes[index...].prefix(while: isNameByte)
            guard !name.isEmpty else {
                index += 1
                continue
            }
            index = name.endIndex
            let rest = bytes[index...].drop { "\"'\\ ]".utf8.contains($0) }
            guard let sign = rest.first, sign == UInt8(ascii: "=") || sign == ASCII.colon else { continue }
            let value = rest.dropFirst().drop { "\"'\\ ".utf8.contains($0) }
            // The members of an object have names, too. A placeholder is the name of a value.
            guard let first = value.first, !"{},&]".utf8.contains(first) else { continue }
            if SecretName.isSecret(Array(name)) { return true }
        }
        return false
    }

    /// Whether the text contains a JSON Web Token (RFC 7519): three base64url parts separated by dots. The first part is
    /// a JSON object.
    public static func hasWebToken(_ text: some Sequence<UInt8>) -> Bool {
        let line = Array(text)
        let isPart = { (byte: UInt8) in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        var rest = line[...]
        // `{"` in Base64.
        while let start = rest.firstRange(of: Array("eyJ".utf8)) {
            let header = rest[start.lowerBound...].prefix(while: isPart)
            // A later start in the same part would have the same end.
            rest = rest[header.endIndex...]
            guard header.endIndex < line.endIndex, line[header.endIndex] == UInt8(ascii: ".") else { continue }
            let payload = line[(header.endIndex + 1)...].prefix(while: isPart)
            guard !payload.isEmpty, payload.endIndex < line.endIndex else { continue }
            if line[payload.endIndex] == UInt8(ascii: ".") { return true }
        }
        return false
    }

    /// Longer words are data, such as Base64, and contain short words by chance.
    private static let maximumNameBytes = 128

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension ArraySlice<UInt8> {
    /// The position of the first occurrence.
    public func firstRange(of bytes: [UInt8]) -> Range<Int>? {
        guard let first = bytes.first else { return nil }
        var start = startIndex
        while let index = self[start...].firstIndex(of: first) {
            if self[index...].starts(with: bytes) { return index..<(index + bytes.count) }
            start = index + 1
        }
        return nil
    }
}
