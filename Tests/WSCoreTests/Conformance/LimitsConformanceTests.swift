import SessionSupport
import TestSupport
import Testing
import WSCore

@Suite struct LimitsConformanceTests {
    @Test(
        "RFC 6455 §10.4, Autobahn 9.1–9.6: a message of up to 16 MiB is echoed, however it is split",
        arguments: largeMessages, Role.allCases)
    func echo(of testCase: LargeMessage, role: Role) throws {
        let payload = testCase.payload
        let frames = testCase.fragmentBytes.map { fragments(testCase.kind, payload, of: $0) }
        let received = wire(frames ?? [testCase.whole(payload)], receivedBy: role)
        // A loop reads at most 64 KiB at once.
        let end = EchoEnd.after(chops(of: received, testCase.chopBytes ?? 65_536), role: role)
        expectNil(end.error)
        let isEchoed = areEqual(end.sent, wire([testCase.whole(payload)], sentBy: role))
        expectTrue(isEchoed)
    }

    @Test(
        "RFC 6455 §5.2, Autobahn 9.7, 9.8: 1,000 consecutive messages are echoed",
        arguments: roundTrips, Role.allCases)
    func echoes(of testCase: RoundTrips, role: Role) throws {
        var session = Session(role: role, limits: .client, maskingKeys: countingKeys())
        var handler = EchoHandler()
        let message = frame(testCase.kind == .text ? 0x81 : 0x82, testCase.payload)
        let received = wire([message], receivedBy: role)
        for round in 1...1000 {
            try session.receive(received, handler: &handler)
            let key = countedKey(UInt32(round))
            let echo = contents(of: session.outbox.bytes)
            let isEchoed = areEqual(echo, role == .client ? masked(message, key: key) : message)
            try #require(isEchoed, "round \(round)")
            session.outbox.bytes.removeAll()
        }
    }

    static var numbers: [String] { largeMessages.map(\.number) + roundTrips.map(\.number) }

    /// A message, and how it is fragmented and split.
    struct LargeMessage: Sendable, CustomTestStringConvertible {
        let number: String
        let kind: MessageKind
        let byteCount: Int
        var fragmentBytes: Int?
        var chopBytes: Int?

        var testDescription: String { number }

        /// A pattern that reveals lost, duplicated, and moved bytes.
        var payload: [UInt8] {
            let block = kind == .text ? Self.textBlock : Self.binaryBlock
            var bytes: [UInt8] = []
            bytes.reserveCapacity(byteCount + block.count)
            while bytes.count + block.count <= byteCount { bytes += block }
            return bytes + [UInt8](repeating: UInt8(ascii: "*"), count: byteCount - bytes.count)
        }

        /// Scalars of one to four bytes, at offsets not aligned to powers of two.
        private static let textBlock = (0..<509).flatMap { Array("\($0) naïve 日本 🦜\n".utf8) }
        /// All byte values, in a different order in each block.
        private static let binaryBlock = (0..<251).flatMap { index in (0...255).map { $0 ^ UInt8(index) } }

        func whole(_ payload: [UInt8]) -> [UInt8] { frame(kind == .text ? 0x81 : 0x82, payload) }
    }

    private static let largeMessages: [LargeMessage] = [(0, MessageKind.text), (1, .binary)].flatMap { odd, kind in
        numbered("9.\(1 + odd)", [64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20]) {
            LargeMessage(number: $0, kind: kind, byteCount: $1)
        }
            + numbered("9.\(3 + odd)", (0..<9).map { 64 << (2 * $0) }) {
                // The suite sends 4 MiB. Small frames use less here, because each takes microseconds in a debug build.
                LargeMessage(number: $0, kind: kind, byteCount: min(4 << 20, $1 << 12), fragmentBytes: $1)
            }
            + numbered("9.\(5 + odd)", (0..<6).map { 64 << $0 }) {
                LargeMessage(number: $0, kind: kind, byteCount: 1 << 20, chopBytes: $1)
            }
    }

    private static func numbered(
        _ group: String, _ sizes: [Int], _ makeCase: (String, Int) -> LargeMessage
    ) -> [LargeMessage] {
        sizes.enumerated().map { makeCase("\(group).\($0 + 1)", $1) }
    }

    /// A message that is sent again after each echo.
    struct RoundTrips: Sendable, CustomTestStringConvertible {
        let number: String
        let kind: MessageKind
        let byteCount: Int

        var testDescription: String { number }

        var payload: [UInt8] { [UInt8](repeating: kind == .text ? UInt8(ascii: "*") : 0xFE, count: byteCount) }
    }

    private static let roundTrips = [(7, MessageKind.text), (8, .binary)].flatMap { group, kind in
        [0, 16, 64, 256, 1024, 4096].enumerated().map {
            RoundTrips(number: "9.\(group).\($0 + 1)", kind: kind, byteCount: $1)
        }
    }
}
