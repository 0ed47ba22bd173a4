import WSCore

/// What a run was given that gives access to something, as it is found out, so that none of it is kept elsewhere.
final class SecretRecord {
    /// The secrets, each as it may stand in a message.
    private(set) var texts: Set<String> = []

    /// Takes the value of an option, and the part of it that is the secret where it has a name before it.
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

    /// Takes the password of a URL.
    func add(_ credentials: Credentials?) {
        guard let credentials else { return }
        texts.formUnion([credentials.password, "\(credentials.user):\(credentials.password)"])
    }

    /// Takes the fields of a request that may give access: their values, what follows the scheme in them, and cookies.
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
