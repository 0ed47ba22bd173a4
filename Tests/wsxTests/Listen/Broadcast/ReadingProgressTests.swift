import Testing

@testable import Listen

@Suite struct ReadingProgressTests {
    /// A tenth of a second, the time between two checks.
    private static let tick = Duration.milliseconds(100)

    @Test("A client that takes nothing for a second while others wait is closed")
    func stall() {
        var progress = ReadingProgress(takenBytes: 7, limits: .init())
        for _ in 1..<10 { #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: true) == nil) }
        #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: true) == .takesNothing)
    }

    @Test("Time in which nobody waits does not count")
    func nobodyWaits() {
        var progress = ReadingProgress(takenBytes: 7, limits: .init())
        for _ in 0..<1000 { #expect(progress.advance(to: 7, waitTime: .zero, isBlocking: false) == nil) }
        for _ in 1..<10 { #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: true) == nil) }
    }

    @Test("A client that takes something has another second, but less than 8 MiB in 5 seconds are too little")
    func trickle() {
        var progress = ReadingProgress(takenBytes: 0, limits: .init())
        for count in 1..<50 { #expect(progress.advance(to: count, waitTime: Self.tick, isBlocking: true) == nil) }
        #expect(progress.advance(to: 50, waitTime: Self.tick, isBlocking: true) == .isSlow)
    }

    @Test("A client that takes 8 MiB in every 5 seconds is kept, even if it pauses again and again")
    func slowButSteady() {
        var progress = ReadingProgress(takenBytes: 0, limits: .init())
        for second in 0..<1000 {
            for part in 1...10 {
                // Nothing for 0.9 seconds, then 1.7 MiB.
                let taken = (second + (part == 10 ? 1 : 0)) * 1_782_580
                #expect(progress.advance(to: taken, waitTime: Self.tick, isBlocking: true) == nil)
            }
        }
    }

    @Test("A throttled client needs only half of its bandwidth")
    func throttled() {
        let bandwidths: [Int?] = [nil, 1000, 10 << 20, .max]
        let bytes = bandwidths.map { ReadingProgress.Limits(bytesPerSecond: $0).slowBytes }
        #expect(bytes == [8 << 20, 2500, 8 << 20, 8 << 20])
    }

    @Test("A client that stopped reading earlier is closed soon after its queue has become full")
    func staggered() {
        var progress = ReadingProgress(takenBytes: 7, limits: .init())
        for _ in 0..<20 { #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: false) == nil) }
        #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: true) == nil)
        #expect(progress.advance(to: 7, waitTime: Self.tick, isBlocking: true) == .takesNothing)
    }
}
