import TestSupport
import Testing
import WSCore

@Suite struct AutomaticFragmentationConformanceTests {
    private static let payload = [UInt8](repeating: UInt8(ascii: "*"), count: 65_536)
    private static let fragmentBytes = 1300
    private static let frames = fragments(.text, payload, of: fragmentBytes)

    static let cases = [ConformanceCase("10.1.1", frames, answers: [frame(0x81, payload)])]

    @Test("RFC 6455 §5.4, Autobahn 10: a message in many fragments is echoed", arguments: cases, Role.allCases)
    func received(in testCase: ConformanceCase, role: Role) {
        testCase.expectConformance(of: role)
    }

    @Test(
        "RFC 6455 §5.4, Autobahn 10: a large message is sent in the minimal number of fragments",
        arguments: Role.allCases
    )
    func sent(by role: Role) {
        var outbox = Outbox(role: role, maskingKeys: countingKeys(), fragmentBytes: Self.fragmentBytes)
        outbox.send(Self.payload.span.bytes, as: .text)
        expectEqual(Self.frames.map(\.count), [Int](repeating: 1304, count: 50) + [540])
        expectEqual(contents(of: outbox.bytes), wire(Self.frames, sentBy: role))
    }
}
