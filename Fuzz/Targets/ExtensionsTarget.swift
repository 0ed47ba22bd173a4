import WSCore

extension FuzzTarget {
    /// The values of Sec-WebSocket-Extensions, one per line.
    ///
    /// - Parsed values consist of tokens, and survive serialization and parsing.
    /// - Quotes around values and backslashes within them do not change the result.
    /// - Several fields are equivalent to one field with their values joined by commas.
    static let extensions = FuzzTarget(name: "extensions") { input in
        let values = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let joined = try? ExtensionHeader.parse([values.joined(separator: ",")])
        guard let offers = try? ExtensionHeader.parse(values) else {
            // After joining, a quoted string that is open at the end of a field may be closed by the next one.
            expect(
                joined == nil || values.contains { $0.utf8.contains(UInt8(ascii: "\"")) },
                "the fields parse only when joined")
            return
        }
        expectEqual(joined, offers, "as one field and as several")
        for offer in offers {
            let words = [offer.name] + offer.parameters.flatMap { [$0.name] + ($0.value.map { [$0] } ?? []) }
            for word in words {
                expect(!word.isEmpty && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(word) is not a token")
            }
        }
        expectEqual(try? ExtensionHeader.parse([ExtensionHeader.value(of: offers)]), offers, "written and parsed again")
        expectEqual(try? ExtensionHeader.parse([quoted(offers)]), offers, "written with quotes and parsed again")
    }

    /// The field value for extensions, with every parameter value quoted and every character of it escaped.
    private static func quoted(_ offers: [ExtensionOffer]) -> String {
        offers.map { offer in
            offer.parameters.reduce(offer.name) { text, parameter in
                let value = parameter.value.map { "=\"" + $0.map { "\\\($0)" }.joined() + "\"" }
                return "\(text) ; \(parameter.name)\(value ?? "")"
            }
        }.joined(separator: " ,, ")
    }
}
