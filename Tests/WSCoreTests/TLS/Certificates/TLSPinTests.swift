import TestSupport
import Testing

@testable import WSCore

struct TLSPinTests {
    private let text = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test("a pin is parsed and formatted unchanged")
    func roundTrip() throws {
        let pin = try TLSPin(text)
        expectEqual(pin.description, text)
        expectEqual(pin.hash.prefix(4), [0xE3, 0xB0, 0xC4, 0x42])
    }

    static let invalidCases: [String] = [
        "", "sha256//", "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha1//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
        "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuF==",
        "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        "sha256//47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256// 7DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
        "sha256//=======================================U===", "sha256//éééééééééééééééééééééé",
    ]

    @Test("an invalid pin is rejected", arguments: Self.invalidCases)
    func invalid(text: String) {
        #expect(throws: TLSPinError.self) { try TLSPin(text) }
    }

    @Test("the error distinguishes a missing prefix from a wrong length")
    func words() {
        let words = { (text: String) in
            do throws(TLSPinError) {
                return try TLSPin(text).description
            } catch {
                return error.description
            }
        }
        expectEqual(words("abc"), "\"abc\" is not a pin; write sha256//BASE64, as shown by -v")
        #expect(words("sha256//abc").contains("44 characters"))
    }
}
