/// An element of Sec-WebSocket-Extensions for permessage-deflate: an offer or an answer, as written.
struct DeflateElement: Equatable {
    /// The role of an element.
    enum Place {
        case offer
        case answer
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    /// `.some(nil)` is the parameter without a value, which an offer may contain.
    var clientMaxWindowBits: Int??

    init() {}

    /// Parses an element. Returns nil if RFC 7692 §7.1 requires declining it.
    init?(_ element: ExtensionOffer, in place: Place) {
        var seen: Set<String> = []
        for parameter in element.parameters {
            // RFC 7692 §7.1: a repeated parameter makes the element invalid.
            guard seen.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            // RFC 7692 §7.1.2.2: the value is optional in an offer.
            case ("client_max_window_bits", nil) where place == .offer: clientMaxWindowBits = .some(nil)
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                clientMaxWindowBits = .some(bits)
            // RFC 7692 §7.1: an unknown parameter or an invalid value makes the element invalid.
            default: return nil
            }
        }
    }

    /// RFC 7692 §7.1.2: a decimal integer from 8 to 15, without leading zeros.
    private static func windowBits(_ value: String) -> Int? {
        guard let bits = Int(value), DeflateParameters.windowBitsRange.contains(bits), String(bits) == value else {
            return nil
        }
        return bits
    }

    /// The element in its written form.
    var extensionOffer: ExtensionOffer {
        var parameters: [ExtensionOffer.Parameter] = []
        if serverNoContextTakeover { parameters.append(.init("server_no_context_takeover")) }
        if clientNoContextTakeover { parameters.append(.init("client_no_context_takeover")) }
        if let bits = serverMaxWindowBits { parameters.append(.init("server_max_window_bits", "\(bits)")) }
        if let bits = clientMaxWindowBits {
            parameters.append(.init("client_max_window_bits", bits.map { "\($0)" }))
        }
        return ExtensionOffer(name: DeflateParameters.extensionName, parameters: parameters)
    }

    /// The parameters that apply if this is the answer.
    var parameters: DeflateParameters {
        DeflateParameters(
            serverNoContextTakeover: serverNoContextTakeover, clientNoContextTakeover: clientNoContextTakeover,
            serverMaxWindowBits: serverMaxWindowBits ?? 15,
            clientMaxWindowBits: (clientMaxWindowBits ?? nil) ?? 15)
    }
}
