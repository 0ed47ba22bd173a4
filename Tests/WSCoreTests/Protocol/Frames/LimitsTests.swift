import TestSupport
import Testing
import WSCore

@Suite struct LimitsTests {
    @Test("RFC 6455 §10.4: the limits are 64 MiB for clients, 16 MiB for servers, and 131,072 fragments for both")
    func defaults() {
        expectEqual(Limits.client, Limits(maximumMessageBytes: 67_108_864, maximumFragments: 131_072))
        expectEqual(Limits.server, Limits(maximumMessageBytes: 16_777_216, maximumFragments: 131_072))
    }
}
