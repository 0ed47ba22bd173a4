import Testing
import WSCore

@Suite struct LimitsTests {
    @Test("RFC 6455 §10.4: a client takes 64 MiB a message, a server 16, both 131,072 fragments")
    func defaults() {
        #expect(Limits.client == Limits(maximumMessageBytes: 67_108_864, maximumFragments: 131_072))
        #expect(Limits.server == Limits(maximumMessageBytes: 16_777_216, maximumFragments: 131_072))
    }
}
