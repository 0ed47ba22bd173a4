extension Histogram {
    /// Values that count as one, and how often they were recorded.
    public struct Bar: Equatable, Sendable {
        /// The values, in nanoseconds.
        public let values: ClosedRange<UInt64>
        /// 1 or more.
        public let count: UInt64
    }

    /// Calls `body` with all that was recorded, the smallest values first.
    public func forEachBar<E: Error>(_ body: (Bar) throws(E) -> Void) throws(E) {
        for index in 0..<Self.countCount where counts[index] > 0 { try body(bar(at: index)) }
    }

    private func bar(at index: Int) -> Bar {
        let first = Self.smallestValue(at: index)
        return Bar(values: first...first + (Self.width(at: index) - 1), count: counts[index])
    }

    /// The smallest value, as the first of those that count as one with it; 0 where there is none.
    public var minimum: UInt64 {
        for index in 0..<Self.countCount where counts[index] > 0 { return Self.smallestValue(at: index) }
        return 0
    }

    /// The largest value, as the last of those that count as one with it; 0 where there is none.
    public var maximum: UInt64 { lastIndex.map { bar(at: $0).values.upperBound } ?? 0 }

    /// The index of the largest value; nil: there is none.
    internal var lastIndex: Int? {
        guard totalCount > 0 else { return nil }
        return (0..<Self.countCount).last { counts[$0] > 0 }
    }

    /// The mean in nanoseconds, each value taken for the middle of those that count as one with it.
    public var mean: Double {
        guard totalCount > 0 else { return 0 }
        var sum = 0.0
        forEachBar { sum += Self.middle(of: $0) * Double($0.count) }
        return sum / Double(totalCount)
    }

    /// The standard deviation in nanoseconds.
    public var standardDeviation: Double {
        guard totalCount > 0 else { return 0 }
        let mean = mean
        var sum = 0.0
        forEachBar { bar in
            let deviation = Self.middle(of: bar) - mean
            sum += deviation * deviation * Double(bar.count)
        }
        return (sum / Double(totalCount)).squareRoot()
    }

    /// Half of an even width, and none of a width of one, as HdrHistogram has it.
    private static func middle(of bar: Bar) -> Double {
        Double(bar.values.lowerBound + (bar.values.upperBound - bar.values.lowerBound + 1) / 2)
    }

    /// The value that so many per cent of the values do not exceed, as the last of those that count as one with it; 0 where
    /// there is none. Which of the values it is, is rounded as by the C and Python libraries.
    /// - Parameter percentile: 0 through 100.
    public func value(atPercentile percentile: Double) -> UInt64 {
        let share = min(max(percentile, 0), 100) * Double(totalCount) / 100
        // A count that a Double cannot tell from the next power of two would be rounded up to that.
        let rank = max(1, share + 0.5 < Double(totalCount) ? UInt64(share + 0.5) : totalCount)
        var count: UInt64 = 0
        for index in 0..<Self.countCount {
            count += counts[index]
            guard count >= rank else { continue }
            let values = bar(at: index).values
            return percentile > 0 ? values.upperBound : values.lowerBound
        }
        return 0
    }
}
