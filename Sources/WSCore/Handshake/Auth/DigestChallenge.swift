/// A challenge of Digest authentication (RFC 7616) that this client can answer.
struct DigestChallenge {
    /// The algorithm that the server named, or nil: servers from before RFC 2617 do not know the parameter.
    private let namedAlgorithm: DigestAlgorithm?
    private let realm: String
    private let nonce: String
    private let opaque: String?
    /// Whether the server supports `qop=auth`. Otherwise, the answer is that of RFC 2069.
    private let hasQualityOfProtection: Bool
    private let hashesUser: Bool
    /// Whether the server rejected only the age of the previous nonce, not the password.
    let isStale: Bool

    private var algorithm: DigestAlgorithm { namedAlgorithm ?? .md5 }

    /// Whether the hash is stronger than MD5.
    var isStrong: Bool { algorithm.hash != .md5 }

    /// Reads the parameters; `nil` if it is not a Digest challenge, is incomplete, or requires an unsupported option.
    init?(_ challenge: AuthenticationChallenge) {
        guard challenge.isScheme("Digest"), let nonce = challenge["nonce"], !nonce.isEmpty else { return nil }
        namedAlgorithm = challenge["algorithm"].flatMap(DigestAlgorithm.named)
        guard namedAlgorithm != nil || challenge["algorithm"] == nil else { return nil }
        // RFC 7616 §3.3: qop is a list. This client has no content to protect, so it ignores auth-int.
        let protections = challenge["qop"]
        let hasQualityOfProtection =
            protections?.utf8.split(separator: UInt8(ascii: ",")).contains {
                ASCII.areEqualIgnoringCase(String(Substring(ASCII.trimmed($0))), "auth")
            } ?? false
        guard hasQualityOfProtection || protections == nil && namedAlgorithm?.isSession != true else { return nil }
        self.nonce = nonce
        self.hasQualityOfProtection = hasQualityOfProtection
        realm = challenge.realm ?? ""
        opaque = challenge["opaque"]
        hashesUser = ASCII.areEqualIgnoringCase(challenge["userhash"] ?? "", "true")
        isStale = ASCII.areEqualIgnoringCase(challenge["stale"] ?? "", "true")
    }

    /// The value of the Authorization or Proxy-Authorization field of the first request with this nonce; nil if OpenSSL's
    /// configuration excludes the hash.
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The target in the request line.
    ///   - clientNonce: The cnonce: printable ASCII, different for each challenge.
    func authorization(
        for credentials: Credentials, method: String, target: String, clientNonce: String
    ) -> String? {
        let user = credentials.user
        // RFC 7616 §3.4.2 and §3.4.3: A1 and A2. §4: user name and password are UTF-8.
        guard var secretHash = algorithm.hash("\(user):\(realm):\(credentials.password)"),
            let requestHash = algorithm.hash("\(method):\(target)")
        else { return nil }
        if algorithm.isSession {
            guard let hash = algorithm.hash("\(secretHash):\(nonce):\(clientNonce)") else { return nil }
            secretHash = hash
        }
        let protection = hasQualityOfProtection ? "\(Self.nonceCount):\(clientNonce):auth:" : ""
        guard let response = algorithm.hash("\(secretHash):\(nonce):\(protection)\(requestHash)"),
            // RFC 7616 §3.4.4.
            let shownUser = hashesUser ? algorithm.hash("\(user):\(realm)") : user
        else { return nil }
        // RFC 7616 §3.4: qop, nc, algorithm, and userhash are not quoted, for the sake of old servers.
        var parameters = [
            "username=\(Self.quoted(shownUser))", "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))",
        ]
        if hasQualityOfProtection {
            parameters += ["cnonce=\(Self.quoted(clientNonce))", "nc=\(Self.nonceCount)", "qop=auth"]
        }
        parameters.append("response=\(Self.quoted(response))")
        if let opaque { parameters.append("opaque=\(Self.quoted(opaque))") }
        if let namedAlgorithm { parameters.append("algorithm=\(namedAlgorithm.name)") }
        if hashesUser { parameters.append("userhash=true") }
        return "Digest " + parameters.joined(separator: ", ")
    }

    /// RFC 7616 §3.4: the number of requests with the nonce. Each nonce is used once.
    private static let nonceCount = "00000001"

    /// RFC 9110 §5.6.4.
    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if "\"\\".utf8.contains(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

/// An algorithm of Digest authentication (RFC 7616 §6.1).
struct DigestAlgorithm {
    /// The hash functions, with their names in the registry.
    enum Hash: String, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512Part = "SHA-512-256"

        /// The name in OpenSSL.
        var libraryName: String {
            switch self {
            case .md5: "MD5"
            case .sha256: "SHA2-256"
            case .sha512Part: "SHA2-512/256"
            }
        }
    }

    static let md5 = DigestAlgorithm(hash: .md5, isSession: false)

    let hash: Hash
    /// Whether the secret part of the hash also depends on both nonces.
    let isSession: Bool

    /// The name in the registry.
    var name: String { hash.rawValue + (isSession ? "-sess" : "") }

    /// Finds an algorithm by its name, ignoring case; nil if it is not supported.
    static func named(_ name: String) -> DigestAlgorithm? {
        let all = Hash.allCases.flatMap { hash in
            [false, true].map { DigestAlgorithm(hash: hash, isSession: $0) }
        }
        return all.first { ASCII.areEqualIgnoringCase($0.name, name) }
    }

    /// The hash of a text in lower-case hexadecimal digits; nil if OpenSSL's configuration excludes it.
    func hash(_ text: String) -> String? { Digest.hexadecimal(Array(text.utf8), by: hash.libraryName) }
}
