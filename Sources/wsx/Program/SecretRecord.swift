import WSCore

/// Collects the secrets that a run receives, to keep them out of files.
final class SecretRecord {
    /// The secrets, in the form that a message would contain.
    private(set) var texts: Set<String> = []

    /// Adds the value of an option and, for values such as `user:password`, the secret part.
    func add(_ value: String, of option: String) {
        texts.insert(value)
        switch option {
        case "--auth": add(value, after: ":")
        case "--cookie": add(value, after: "=")
        case "--proxy":
            let authority = value.split(separator: "@", omittingEmptySubsequences: false)
            if authority.count > 1 { add(String(authority[0].drop { $0 != "/" }), after: ":") }
        default: break
        }
    }

    /// Adds the password of a URL.
    func add(_ credentials: Credentials?) {
        guard let credentials else { return }
        texts.formUnion([credentials.password, "\(credentials.user):\(credentials.password)"])
    }

    /// Adds the secret fields of a request: their values, the part after an authentication scheme, and cookies.
    func add(_ request: ClientRequest) {
        for field in request.fields where field.isSecret {
            texts.insert(field.value)
            if field.isNamed("Cookie") {
                for pair in field.value.split(separator: ";") { add(String(pair), after: "=") }
            } else {
                add(field.value, after: " ")
            }
        }
    }

    private func add(_ value: String, after separator: Character) {
        guard let index = value.firstIndex(of: separator) else { return }
        texts.insert(String(value[value.index(after: index)...]))
    }
}
