/// An endpoint's preferences for permessage-deflate, for both directions.
package struct DeflatePreferences: Equatable, Sendable {
    /// The base-2 logarithm of the maximum window size in bytes, 9 to 15. Smaller windows save memory at both ends.
    package let windowBits: Int
    /// Whether messages may refer to earlier ones. If not, each is compressed separately.
    package var keepsContext: Bool

    /// Creates preferences. By default, the peer may use a window of 32 KiB, with context takeover.
    ///
    /// `windowBits` must be 8 to 15, and 8 becomes 9. zlib rejects 8 for raw DEFLATE, and peers based on zlib fail if
    /// they have to compress with it. If the peer requests 8 itself, 8 is negotiated.
    package init(windowBits: Int = 15, keepsContext: Bool = true) {
        precondition(DeflateParameters.windowBitsRange.contains(windowBits))
        self.windowBits = max(9, windowBits)
        self.keepsContext = keepsContext
    }

    /// The offer of a client with these preferences.
    ///
    /// There is no second offer to fall back to, because it would allow more memory than preferred.
    package var offer: ExtensionOffer {
        var parameters = DeflateElement()
        parameters.serverNoContextTakeover = !keepsContext
        parameters.clientNoContextTakeover = !keepsContext
        // RFC 7692 §7.1.2.2: without this parameter, the server could not ask the client for a smaller window.
        parameters.clientMaxWindowBits = .some(windowBits < 15 ? windowBits : nil)
        parameters.serverMaxWindowBits = windowBits < 15 ? windowBits : nil
        return parameters.extensionOffer
    }

    /// Accepts the first acceptable offer of a client.
    ///
    /// - Returns: The negotiated parameters and the answer, or nil if there is no valid permessage-deflate offer.
    package func accept(_ offers: [ExtensionOffer]) -> (parameters: DeflateParameters, answer: ExtensionOffer)? {
        for offer in offers where offer.name == DeflateParameters.extensionName {
            // RFC 7692 §7.1: decline an offer with an unknown, repeated, or invalid parameter, and try the next.
            guard let offered = DeflateElement(offer, in: .offer) else { continue }
            let answer = self.answer(to: offered)
            return (answer.parameters, answer.extensionOffer)
        }
        return nil
    }

    private func answer(to offered: DeflateElement) -> DeflateElement {
        var answer = DeflateElement()
        // RFC 7692 §7.1.1.1: the server agrees by including the parameter, and may include it without being asked.
        answer.serverNoContextTakeover = offered.serverNoContextTakeover || !keepsContext
        // RFC 7692 §7.1.1.2: the server may request it unasked. A client that hints at it is asked to apply it.
        answer.clientNoContextTakeover = offered.clientNoContextTakeover || !keepsContext
        // RFC 7692 §7.1.2.1: the window must be the same as or smaller than the one offered.
        let serverWindowBits = min(offered.serverMaxWindowBits ?? 15, windowBits)
        if offered.serverMaxWindowBits != nil || serverWindowBits < 15 { answer.serverMaxWindowBits = serverWindowBits }
        // RFC 7692 §7.1.2.2: only a client that sends this parameter may be asked for a smaller window.
        if let hint = offered.clientMaxWindowBits {
            let clientWindowBits = min(hint ?? 15, windowBits)
            if clientWindowBits < 15 { answer.clientMaxWindowBits = .some(clientWindowBits) }
        }
        return answer
    }
}
