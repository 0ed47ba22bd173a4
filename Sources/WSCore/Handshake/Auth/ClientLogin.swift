/// When a client sends a user name and password, and how.
package enum AuthenticationMethod: Equatable, Sendable {
    /// With every request, by Basic authentication (RFC 7617).
    case basic
    /// Only as the answer to a challenge of Digest authentication (RFC 7616).
    case digest
    /// Only as the answer to a challenge, by the strongest scheme offered.
    case strongest
}

/// A user name and password for a server or a proxy, and what is sent of them with one request, without I/O.
///
/// Except with Basic authentication, a request is first sent without them:
///
///     request ──► 401 or 407 ──► request with the answer ──► 401 or 407, stale=true ──► request with another answer
///
/// Nonces are not reused for other requests. Each of them asks for its own, so the answers to connections that open at
/// the same time need no order.
package struct ClientLogin: Equatable, Sendable {
    package let credentials: Credentials
    let method: AuthenticationMethod
    /// The value of the Authorization or Proxy-Authorization field; nil for none yet.
    package private(set) var authorization: String?
    private var answerCount = 0

    package init(_ credentials: Credentials, by method: AuthenticationMethod) {
        self.credentials = credentials
        self.method = method
        authorization = method == .basic ? credentials.basicAuthorization : nil
    }

    /// Whether nothing is sent without a challenge.
    var waitsForChallenge: Bool { method != .basic }

    /// The same login for another request.
    var unanswered: ClientLogin { ClientLogin(credentials, by: method) }

    /// Sets ``authorization`` to the answer to the strongest of the challenges in a response.
    /// - Parameters:
    ///   - challenges: The values of the WWW-Authenticate or Proxy-Authenticate fields.
    ///   - method: The method of the request.
    ///   - target: The target in the request line.
    ///   - random: At least 16 random bytes, different for each call.
    /// - Returns: Whether to send the request again. If not, the response is a refusal.
    package mutating func answer(_ challenges: [String], method: String, target: String, random: [UInt8]) -> Bool {
        // RFC 7616 §3.3: after an answer, only a stale nonce is worth another one. A server that finds every nonce stale
        // gets no third.
        guard waitsForChallenge, answerCount < 2 else { return false }
        let isFirst = answerCount == 0
        let challenges = AuthenticationChallenge.parse(challenges)
        let digests = challenges.compactMap(DigestChallenge.init).filter { isFirst || $0.isStale }
        let clientNonce = Digest.hexadecimal(random)
        for challenge in digests.filter(\.isStrong) + digests.filter({ !$0.isStrong }) {
            let answer = challenge.authorization(
                for: credentials, method: method, target: target, clientNonce: clientNonce)
            if let answer { return send(answer) }
        }
        guard isFirst, self.method == .strongest, challenges.contains(where: { $0.isScheme("Basic") }) else {
            return false
        }
        return send(credentials.basicAuthorization)
    }

    private mutating func send(_ answer: String) -> Bool {
        authorization = answer
        answerCount += 1
        return true
    }

    /// What a request has told the server about the user's login.
    package enum Use: Equatable, Sendable {
        /// There is no login.
        case none
        /// The request had an Authorization field with this scheme.
        case sent(scheme: String)
        /// The server's challenges do not allow to send it by this method.
        case withheld(AuthenticationMethod)
    }
}
