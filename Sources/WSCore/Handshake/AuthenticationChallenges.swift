/// The challenges of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 §11.6.1).
enum AuthenticationChallenges {
    /// The schemes that the values of all such fields offer, such as `Basic`, in order, each once.
    ///
    /// Commas separate challenges as well as the parameters of one: what has a `=` right after its first token is
    /// a parameter. Commas in quoted strings separate nothing.
    static func schemes(in values: [String]) -> [String] {
        var schemes: [String] = []
        for element in values.flatMap(elements) {
            let token = element.prefix(while: ASCII.isTokenCharacter)
            let afterToken = element.dropFirst(token.count)
            let rest = afterToken.drop(while: ASCII.isOptionalWhitespace)
            guard !token.isEmpty, rest.first != UInt8(ascii: "="), rest.isEmpty || rest.count < afterToken.count else {
                continue
            }
            let scheme = String(decoding: token, as: UTF8.self)
            if !schemes.contains(where: { ASCII.areEqualIgnoringCase($0, scheme) }) { schemes.append(scheme) }
        }
        return schemes
    }

    /// What stands between the commas outside of quoted strings, without white space around it.
    private static func elements(of value: String) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        var isEscaped = false
        return Array(value.utf8)
            .split { byte in
                if isEscaped {
                    isEscaped = false
                } else if isQuoted, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                }
                return byte == UInt8(ascii: ",") && !isQuoted
            }
            .map(ASCII.trimmed)
    }
}
