/// One element of Sec-WebSocket-Extensions for permessage-deflate, an offer or an answer, as it was written.
struct DeflateElement: Equatable {
    /// Where an element stands.
    enum Place {
        case offer
        case answer
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: Int?
    /// `.some(nil)`: the parameter is there without a value, as it may be in an offer.
    var clientMaxWindowBits: Int??

    init() {}

    /// Reads an element; nil when RFC 7692 §7.1 calls for it to be declined.
    init?(_ element: ExtensionOffer, in place: Place) {
        var seen: Set<String> = []
        for parameter in element.parameters {
            // RFC 7692 §7.1: a parameter that comes twice makes the element invalid.
            guard seen.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            // RFC 7692 §7.1.2.2: in an offer the value may be left out.
            case ("client_max_window_bits", nil) where place == .offer: clientMaxWindowBits = .some(nil)
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                clientMaxWindowBits = .some(bits)
            // RFC 7692 §7.1: so does one that is unknown, or whose value is not as defined.
            default: return nil
            }
        }
    }

    /// RFC 7692 §7.1.2: a decimal integer without leading zeroes, 8 through 15.
    private static func windowBits(_ value: String) -> Int? {
        guard let bits = Int(value), DeflateParameters.windowBitsRange.contains(bits), String(bits) == value else {
            return nil
        }
        return bits
    }

    /// The element as it is written.
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

    /// What holds when this is the answer.
    var parameters: DeflateParameters {
        DeflateParameters(
            serverNoContextTakeover: serverNoContextTakeover, clientNoContextTakeover: clientNoContextTakeover,
            serverMaxWindowBits: serverMaxWindowBits ?? 15,
            clientMaxWindowBits: (clientMaxWindowBits ?? nil) ?? 15)
    }
}
