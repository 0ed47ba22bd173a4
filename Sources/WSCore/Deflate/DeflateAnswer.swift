/// Evaluates a server's answer to a client's permessage-deflate offers.
package enum DeflateAnswer {
    /// Returns the negotiated parameters, or nil if the server did not accept permessage-deflate.
    ///
    /// - Parameters:
    ///   - answers: The extensions the server accepted.
    ///   - offers: The extensions the client offered.
    /// - Throws: ``DeflateNegotiationError`` if the answer is invalid. RFC 7692 §7.1: the client must then fail the
    ///   connection.
    package static func parameters(
        in answers: [ExtensionOffer], to offers: [ExtensionOffer]
    ) throws(DeflateNegotiationError) -> DeflateParameters? {
        let answers = answers.filter { $0.name == DeflateParameters.extensionName }
        guard let answer = answers.first else { return nil }
        // RFC 7692 §5: two extensions that use RSV1 cannot be used together. This includes one extension used twice.
        guard answers.count == 1 else { throw .repeated(answers) }
        guard let accepted = DeflateElement(answer, in: .answer) else { throw .invalid(answer) }
        // RFC 7692 §5.1: an answer must correspond to one of the offers.
        for offer in offers where offer.name == DeflateParameters.extensionName {
            guard let offered = DeflateElement(offer, in: .offer), accepts(accepted, offered) else { continue }
            return parameters(of: accepted, offered: offered)
        }
        throw .doesNotMatch(answer)
    }

    private static func accepts(_ accepted: DeflateElement, _ offered: DeflateElement) -> Bool {
        // RFC 7692 §7.1.1.1: a server accepts an offer with this parameter by including it in its answer.
        if offered.serverNoContextTakeover, !accepted.serverNoContextTakeover { return false }
        // RFC 7692 §7.1.2.1: the value must be the same as or smaller than the one offered.
        if (accepted.serverMaxWindowBits ?? 15) > (offered.serverMaxWindowBits ?? 15) { return false }
        switch (accepted.clientMaxWindowBits, offered.clientMaxWindowBits) {
        // RFC 7692 §7.1.2.2: the answer must not contain this parameter if the offer does not.
        case (.some, nil): return false
        // RFC 7692 §7.1.2.2: the value must be the same as or smaller than the one offered.
        case (.some(let accepted?), .some(let offered?)): return accepted <= offered
        default: return true
        }
    }

    /// RFC 7692 §7.1.1.2, §7.1.2.2: a client may apply its hints even if the server ignores them. Ours does.
    private static func parameters(of accepted: DeflateElement, offered: DeflateElement) -> DeflateParameters {
        var parameters = accepted.parameters
        parameters.clientNoContextTakeover = accepted.clientNoContextTakeover || offered.clientNoContextTakeover
        parameters.clientMaxWindowBits = min(parameters.clientMaxWindowBits, offered.parameters.clientMaxWindowBits)
        return parameters
    }
}

/// The reason a client rejects a server's permessage-deflate answer.
package enum DeflateNegotiationError: Error, Equatable, Sendable {
    /// The server accepted the extension more than once.
    case repeated([ExtensionOffer])
    /// The answer has an unknown, repeated, or invalid parameter.
    case invalid(ExtensionOffer)
    /// The answer corresponds to none of the offers.
    case doesNotMatch(ExtensionOffer)
}

extension DeflateNegotiationError: CustomStringConvertible {
    /// The cause and a remedy. Control characters in the server's answer are escaped.
    package var description: String {
        switch self {
        case .repeated(let answers):
            "the server accepted compression more than once: \(quoted(ExtensionHeader.value(of: answers)))\(remedy)"
        case .invalid(let answer):
            "the server's compression parameters are invalid: \(quoted("\(answer)"))\(remedy)"
        case .doesNotMatch(let answer):
            "the server accepted compression with parameters that were not offered: \(quoted("\(answer)"))\(remedy)"
        }
    }

    private var remedy: String { "; check the server, or try --compress=off" }
}
