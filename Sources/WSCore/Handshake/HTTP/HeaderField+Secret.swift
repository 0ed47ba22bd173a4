extension HeaderField {
    /// Whether the field's name suggests that its value is a secret.
    public var isSecret: Bool { Self.isSecret(name: name) }

    /// Whether fields with this name may contain a secret: HTTP's own, and names that suggest one, such as those of web
    /// services. When in doubt, a field counts as secret.
    public static func isSecret(name: some StringProtocol) -> Bool {
        let name = ASCII.lowercased(name)
        guard !publicNames.contains(name), !name.utf8.starts(with: "sec-websocket-".utf8) else { return false }
        if secretNames.contains(name) { return true }
        let letters = name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return letters.indices.contains { index in
            let rest = letters[index...]
            return secretWords.contains { rest.starts(with: $0.utf8) }
                && !harmlessWords.contains { rest.starts(with: $0.utf8) }
        }
    }

    /// RFC 6265 §4: other fields with "cookie" in their name carry preferences, not cookies.
    private static let secretNames: Set = ["cookie", "set-cookie"]
    /// A server's challenges (RFC 9110 §11.6.1, §11.7.1).
    private static let publicNames: Set = ["www-authenticate", "proxy-authenticate"]
    /// Words that mark a secret. Compared without `-` and `_`.
    private static let secretWords = [
        "auth", "token", "secret", "password", "passwd", "passphrase", "credential", "session", "signature", "bearer",
        "jwt",
        "apikey", "accesskey", "authkey", "privatekey", "masterkey", "functionskey", "subscriptionkey",
    ]
    /// Words that begin like secret words but are harmless.
    private static let harmlessWords = ["authority", "authorname", "authorid"]
}
