extension HeaderField {
    /// Whether the value may give access to something, by the name of the field.
    public var isSecret: Bool { Self.isSecret(name: name) }

    /// Whether fields of a name may give access to something: HTTP's own that do, and all whose names tell of it, as
    /// those of services do. Rather one too many is taken for a secret than one too few.
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

    /// RFC 6265 §4: other names that tell of cookies are about whether there may be any.
    private static let secretNames: Set = ["cookie", "set-cookie"]
    /// What a server says about how to log in (RFC 9110 §11.6.1, §11.7.1).
    private static let publicNames: Set = ["www-authenticate", "proxy-authenticate"]
    /// Parts of names, without `-` and `_`.
    private static let secretWords = [
        "auth", "token", "secret", "password", "passwd", "passphrase", "credential", "session", "signature", "bearer",
        "jwt",
        "apikey", "accesskey", "authkey", "privatekey", "masterkey", "functionskey", "subscriptionkey",
    ]
    /// What begins with a secret word, but is another.
    private static let harmlessWords = ["authority", "authorname", "authorid"]
}
