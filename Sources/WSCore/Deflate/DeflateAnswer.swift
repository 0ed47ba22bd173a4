/// Reads what a server answered to a client's offers.
public enum DeflateAnswer {
    /// What holds after a server's answer, or nil when it accepted no permessage-deflate.
    ///
    /// - Parameters:
    ///   - answers: The extensions that the server accepted.
    ///   - offers: Those that the client offered.
    /// - Throws: ``DeflateNegotiationError``. RFC 7692 §7.1: the client then fails the connection.
    public static func parameters(
        in answers: [ExtensionOffer], to offers: [ExtensionOffer]
    ) throws(DeflateNegotiationError) -> DeflateParameters? {
        let answers = answers.filter { $0.name == DeflateParameters.extensionName }
        guard let answer = answers.first else { return nil }
        // RFC 7692 §5: two extensions that use RSV1 cannot be in use together, which goes for one used twice, too.
        guard answers.count == 1 else { throw .repeated(answers) }
        guard let accepted = DeflateElement(answer, in: .answer) else { throw .invalid(answer) }
        // RFC 7692 §5.1: an answer has to go with one of the offers.
        for offer in offers where offer.name == DeflateParameters.extensionName {
            guard let offered = DeflateElement(offer, in: .offer), accepts(accepted, offered) else { continue }
            return parameters(of: accepted, offered: offered)
        }
        throw .doesNotMatch(answer)
    }

    private static func accepts(_ accepted: DeflateElement, _ offered: DeflateElement) -> Bool {
        // RFC 7692 §7.1.1.1: a server accepts an offer with this parameter by answering with it.
        if offered.serverNoContextTakeover, !accepted.serverNoContextTakeover { return false }
        // RFC 7692 §7.1.2.1: the same value as offered, or a smaller one.
        if (accepted.serverMaxWindowBits ?? 15) > (offered.serverMaxWindowBits ?? 15) { return false }
        switch (accepted.clientMaxWindowBits, offered.clientMaxWindowBits) {
        // RFC 7692 §7.1.2.2: not in an answer to an offer without it.
        case (.some, nil): return false
        // RFC 7692 §7.1.2.2: the same value as offered, or a smaller one.
        case (.some(let accepted?), .some(let offered?)): return accepted <= offered
        default: return true
        }
    }

    /// RFC 7692 §7.1.1.2, §7.1.2.2: what a client hints at it may do whether the server takes it up or not; ours does.
    private static func parameters(of accepted: DeflateElement, offered: DeflateElement) -> DeflateParameters {
        var parameters = accepted.parameters
        parameters.clientNoContextTakeover = accepted.clientNoContextTakeover || offered.clientNoContextTakeover
        parameters.clientMaxWindowBits = min(parameters.clientMaxWindowBits, offered.parameters.clientMaxWindowBits)
        return parameters
    }
}
