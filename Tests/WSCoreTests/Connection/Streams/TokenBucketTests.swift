import TestSupport
import Testing

@testable import WSCore

@Suite struct TokenBucketTests {
    @Test("a bucket starts full, holds the bytes of 100 ms, and refills over time")
    func filling() {
        var bucket = TokenBucket(bytesPerSecond: 1000, at: .seconds(5))
        expectEqual(bucket.available(at: .seconds(5)), 100)
        bucket.take(100)
        expectEqual(bucket.available(at: .seconds(5)), 0)
        expectEqual(bucket.available(at: .seconds(5) + .milliseconds(30)), 30)
        expectEqual(bucket.available(at: .seconds(9)), 100)
    }

    @Test("the wait covers all requested bytes, or a full bucket if that is less")
    func waiting() {
        var bucket = TokenBucket(bytesPerSecond: 1000, at: .zero)
        expectEqual(bucket.wait(for: 100, at: .zero), .zero)
        bucket.take(100)
        expectEqual(bucket.wait(for: 20, at: .zero), .milliseconds(20))
        expectEqual(bucket.wait(for: 5000, at: .zero), .milliseconds(100))
        expectEqual(bucket.wait(for: 5000, at: .milliseconds(40)), .milliseconds(60))
    }

    @Test("over time, no more than the rate passes", arguments: [1, 7, 64, 1000, 1 << 30])
    func rate(bytesPerSecond: Int) {
        var bucket = TokenBucket(bytesPerSecond: bytesPerSecond, at: .zero)
        var passed = 0
        for millisecond in stride(from: 0, through: 10_000, by: 3) {
            let count = bucket.available(at: .milliseconds(millisecond))
            bucket.take(count)
            passed += count
        }
        #expect(passed <= bytesPerSecond * 10 + bucket.capacityBytes)
        #expect(passed >= bytesPerSecond * 9)
    }
}
