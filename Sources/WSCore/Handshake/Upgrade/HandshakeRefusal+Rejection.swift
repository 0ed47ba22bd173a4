extension HandshakeRefusal {
    /// A refusal with a status that was chosen beforehand, for a request that could be accepted.
    ///
    /// It has the policy's own fields, and those of them that HTTP demands with the status and the policy does not have.
    /// - Parameters:
    ///   - request: The request.
    ///   - status: The status, 300 through 599.
    ///   - reason: Why, in one line.
    ///   - policy: The server's policy.
    public static func rejection(
        of request: RequestHead, with status: Int, because reason: String, policy: ServerPolicy
    ) -> HandshakeRefusal {
        var fields = policy.extraFields
        for field in demandedFields(of: status, policy: policy)
        where !policy.extraFields.contains(where: { $0.isNamed(field.name) }) {
            fields.append(field)
        }
        return HandshakeRefusal(status: status, reason: reason, fields: fields, request: request)
    }

    /// The fields without which a response of this status is none.
    private static func demandedFields(of status: Int, policy: ServerPolicy) -> [HeaderField] {
        switch status {
        case 401:
            // RFC 9110 §15.5.2: a 401 says how to log in.
            let challenges = policy.access.challenges(to: nil)
            return challenges.isEmpty ? [HeaderField(wellFormedName: "WWW-Authenticate", value: challenge)] : challenges
        case 405:
            // RFC 9110 §10.2.1: an empty list says that for now no method is allowed, not even the one that WebSockets need.
            return [HeaderField(wellFormedName: "Allow", value: "")]
        case 407:
            // RFC 9110 §15.5.8: a 407 says how to log in at the proxy.
            return [HeaderField(wellFormedName: "Proxy-Authenticate", value: challenge)]
        case 426:
            return upgradeFields
        default:
            return []
        }
    }

    /// RFC 7617 §2: the realm is required.
    private static let challenge = #"Basic realm="wsx""#
}
