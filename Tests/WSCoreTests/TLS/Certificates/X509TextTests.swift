import TestSupport
import Testing

@testable import WSCore

struct X509TextTests {
    static let addressesCases: [String] = [
        "::", "::1", "1::", "2001:db8::1", "2001:db8:0:1:1:1:1:1", "1:0:0:2::3", "1::2:0:0:3", "1:2:3:4:5:6:7:8",
        "10.0.0.1",
        "fe80::a", "0:1::",
    ]

    @Test("RFC 5952 §4: addresses are formatted in their shortest form", arguments: Self.addressesCases)
    func addresses(text: String) throws {
        let bytes = try #require(IPLiteral.ipv4(text) ?? IPLiteral.ipv6(text))
        expectEqual(X509Text.address(bytes), text)
    }

    @Test("other numbers of bytes are not formatted", arguments: [0, 3, 5, 15, 17])
    func others(count: Int) {
        expectNil(X509Text.address([UInt8](repeating: 1, count: count)))
    }
}
