extension WebSocketURL {
    /// Replaces everything that may be a user name and password with `•••`. The text need not be a valid URL.
    ///
    /// That is everything between the scheme and the last `@`: a password that is not percent-encoded can contain any
    /// character.
    public static func withoutUserInfo(_ text: String) -> String {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return text }
        let scheme = URLForm.scheme(of: text).map { $0 + ":" } ?? ""
        let hasAuthority = text.utf8.dropFirst(scheme.utf8.count).starts(with: "//".utf8)
        return (hasAuthority ? scheme + "//" : "") + "•••" + text[at...]
    }
}
