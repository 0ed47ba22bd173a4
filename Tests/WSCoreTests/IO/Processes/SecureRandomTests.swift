import TestSupport
import Testing
import WSCore

@Suite struct SecureRandomTests {
    @Test("the requested number of bytes is returned", arguments: [0, 1, 16, 4096])
    func count(count: Int) {
        expectEqual(SecureRandom.bytes(count).count, count)
    }

    @Test("random bytes do not repeat, and every byte is filled")
    func fresh() {
        let samples = (0..<100).map { _ in SecureRandom.bytes(16) }
        expectEqual(Set(samples).count, 100)
        for index in 0..<16 { #expect(samples.contains { $0[index] != 0 }) }
    }
}
