/// What an end of a connection wishes for permessage-deflate, of itself and of its peer.
public struct DeflatePreferences: Equatable, Sendable {
    /// How far back a message may refer at most, as a power of 2 in bytes, 9 through 15; less saves memory at both ends.
    public let windowBits: Int
    /// Whether a message may refer to those before; each is compressed by itself otherwise.
    public var keepsContext: Bool

    /// Takes wishes; by default there are none, which compresses best.
    ///
    /// 8 is wished for as 9: zlib refuses it for raw DEFLATE, and peers that are built on zlib fail when it is their turn.
    /// With a peer that names 8 itself it is agreed on.
    public init(windowBits: Int = 15, keepsContext: Bool = true) {
        precondition(DeflateParameters.windowBitsRange.contains(windowBits))
        self.windowBits = max(9, windowBits)
        self.keepsContext = keepsContext
    }

    /// What a client with these wishes offers.
    ///
    /// A single offer: one that falls back to more memory would not be what was wished.
    public var offer: ExtensionOffer {
        var parameters = DeflateElement()
        parameters.serverNoContextTakeover = !keepsContext
        parameters.clientNoContextTakeover = !keepsContext
        // RFC 7692 §7.1.2.2: a client that leaves this out cannot be asked for a smaller window.
        parameters.clientMaxWindowBits = .some(windowBits < 15 ? windowBits : nil)
        parameters.serverMaxWindowBits = windowBits < 15 ? windowBits : nil
        return parameters.extensionOffer
    }

    /// Accepts the first of a client's offers that can be accepted.
    ///
    /// - Returns: What then holds, and the answer; nil when no offer is for permessage-deflate, or none is valid.
    public func accept(_ offers: [ExtensionOffer]) -> (parameters: DeflateParameters, answer: ExtensionOffer)? {
        for offer in offers where offer.name == DeflateParameters.extensionName {
            // RFC 7692 §7.1: an offer with an unknown, repeated or invalid parameter is declined; the next is looked at.
            guard let offered = DeflateElement(offer, in: .offer) else { continue }
            let answer = self.answer(to: offered)
            return (answer.parameters, answer.extensionOffer)
        }
        return nil
    }

    private func answer(to offered: DeflateElement) -> DeflateElement {
        var answer = DeflateElement()
        // RFC 7692 §7.1.1.1: the server agrees by answering with the parameter; it may do so unasked.
        answer.serverNoContextTakeover = offered.serverNoContextTakeover || !keepsContext
        // RFC 7692 §7.1.1.2: the server may ask for it unasked; a client that hints at it may as well be held to it.
        answer.clientNoContextTakeover = offered.clientNoContextTakeover || !keepsContext
        // RFC 7692 §7.1.2.1: the same window as offered or a smaller one.
        let serverWindowBits = min(offered.serverMaxWindowBits ?? 15, windowBits)
        if offered.serverMaxWindowBits != nil || serverWindowBits < 15 { answer.serverMaxWindowBits = serverWindowBits }
        // RFC 7692 §7.1.2.2: only a client that mentions the parameter may be asked for a smaller window.
        if let hint = offered.clientMaxWindowBits {
            let clientWindowBits = min(hint ?? 15, windowBits)
            if clientWindowBits < 15 { answer.clientMaxWindowBits = .some(clientWindowBits) }
        }
        return answer
    }
}
