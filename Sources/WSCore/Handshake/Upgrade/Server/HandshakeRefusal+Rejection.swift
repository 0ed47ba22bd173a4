extension HandshakeRefusal {
    /// Refuses a valid request with a predefined status.
    ///
    /// The response has the policy's extra fields, and any fields that HTTP requires for the status and the policy does
    /// not set.
    /// - Parameters:
    ///   - request: The request to refuse.
    ///   - status: The status, 300 through 599.
    ///   - reason: The reason in one line.
    ///   - policy: The server's policy.
    package static func rejection(
        of request: RequestHead, with status: Int, because reason: String, policy: ServerPolicy
    ) -> HandshakeRefusal {
        var fields = policy.extraFields
        for field in demandedFields(of: status, policy: policy)
        where !policy.extraFields.contains(where: { $0.isNamed(field.name) }) {
            fields.append(field)
        }
        return HandshakeRefusal(status: status, reason: reason, fields: fields, request: request)
    }

    /// The fields that a response with this status must have.
    private static func demandedFields(of status: Int, policy: ServerPolicy) -> [HeaderField] {
        switch status {
        case 401:
            // RFC 9110 §15.5.2: a 401 response must contain a challenge.
            let challenges = policy.access.challenges(to: nil)
            return challenges.isEmpty ? [HeaderField(wellFormedName: "WWW-Authenticate", value: challenge)] : challenges
        case 405:
            // RFC 9110 §10.2.1: an empty list means that the resource allows no method, which includes GET.
            return [HeaderField(wellFormedName: "Allow", value: "")]
        case 407:
            // RFC 9110 §15.5.8: a 407 response must contain a challenge.
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
