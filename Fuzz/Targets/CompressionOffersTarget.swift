import WSCore

extension FuzzTarget {
    /// Values of Sec-WebSocket-Extensions, as offers to a server and as answers to a client.
    ///
    /// - A client that made the offers accepts the server's answer, and both derive the same parameters from it.
    /// - For any answer, a client ends up with valid parameters that are no looser than requested, or with a one-line
    ///   error
    ///   that is safe to show.
    static let compressionOffers = FuzzTarget(name: "compression-offers") { input in
        guard let elements = try? ExtensionHeader.parse([String(decoding: input, as: UTF8.self)]) else { return }
        for windowBits in [8, 12, 15] {
            for keepsContext in [true, false] {
                let preferences = DeflatePreferences(windowBits: windowBits, keepsContext: keepsContext)
                checkServer(preferences, offers: elements)
                checkClient(preferences, answers: elements)
            }
        }
    }

    private static func checkServer(_ preferences: DeflatePreferences, offers: [ExtensionOffer]) {
        guard let (parameters, answer) = preferences.accept(offers) else { return }
        expect(isInRange(parameters), "a window is out of range")
        expect(preferences.keepsContext || parameters.serverNoContextTakeover, "the server keeps its context")
        expect(parameters.serverMaxWindowBits <= preferences.windowBits, "the server's window is larger than requested")
        do throws(DeflateNegotiationError) {
            let agreed = try DeflateAnswer.parameters(in: [answer], to: offers)
            expect(agreed != nil, "the client does not see that its offer was accepted")
        } catch {
            unexpected("\(answer) does not match the offers: \(error)")
        }
    }

    private static func checkClient(_ preferences: DeflatePreferences, answers: [ExtensionOffer]) {
        do throws(DeflateNegotiationError) {
            guard let agreed = try DeflateAnswer.parameters(in: answers, to: [preferences.offer]) else { return }
            expect(isInRange(agreed), "a window is out of range")
            expect(
                max(agreed.serverMaxWindowBits, agreed.clientMaxWindowBits) <= preferences.windowBits,
                "a window is larger than was offered")
            expect(
                preferences.keepsContext || (agreed.serverNoContextTakeover && agreed.clientNoContextTakeover),
                "a context is kept after all")
        } catch {
            expectOneSafeLine(error.description)
        }
    }

    private static func isInRange(_ parameters: DeflateParameters) -> Bool {
        [parameters.serverMaxWindowBits, parameters.clientMaxWindowBits]
            .allSatisfy(DeflateParameters.windowBitsRange.contains)
    }
}
