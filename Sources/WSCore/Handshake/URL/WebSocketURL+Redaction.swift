extension WebSocketURL {
    /// The text, which may be no URL, with `•••` in place of all that may be a user name and password.
    ///
    /// That is what stands before the last `@` but for a scheme, because a password that is not percent-encoded as it
    /// should be can have any character.
    public static func withoutUserInfo(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let scheme = URLForm.scheme(of: text).map { $0 + ":" } ?? ""
        let hasAuthority = text.utf8.dropFirst(scheme.utf8.count).starts(with: "//".utf8)
        return (hasAuthority ? scheme + "//" : "") + "•••" + text[at...]
    }
}
