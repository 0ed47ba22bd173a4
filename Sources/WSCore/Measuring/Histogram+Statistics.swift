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

    /// The smallest value in nanoseconds; 0 without values.
    public var minimum: UInt64 { totalCount > 0 ? smallest : 0 }

    /// The largest value in nanoseconds; 0 without values.
    public var maximum: UInt64 { largest }

    /// The index of the largest value; nil: there is none.
    internal var lastIndex: Int? {
        guard totalCount > 0 else { return nil }
        return (0..<Self.countCount).last { counts[$0] > 0 }
    }

    /// The sum of all values in nanoseconds.
    public var sum: UInt128 { recordedSum }

    /// The mean in nanoseconds; 0 without values.
    public var mean: Double { totalCount > 0 ? Double(recordedSum) / Double(totalCount) : 0 }

    /// The standard deviation in nanoseconds, each value taken for the middle of its bar; 0 without values.
    public var standardDeviation: Double {
        guard totalCount > 0 else { return 0 }
        // The mean of the middles, not the exact mean: equal values deviate by 0.
        var total = 0.0
        forEachBar { total += Double(Self.middle(of: $0)) * Double($0.count) }
        let mean = total / Double(totalCount)
        var squares = 0.0
        forEachBar { bar in
            let deviation = Double(Self.middle(of: bar)) - mean
            squares += deviation * deviation * Double(bar.count)
        }
        return (squares / Double(totalCount)).squareRoot()
    }

    /// Half of an even width, and none of a width of one, as HdrHistogram has it.
    private static func middle(of bar: Bar) -> UInt64 {
        bar.values.lowerBound + (bar.values.upperBound - bar.values.lowerBound + 1) / 2
    }

    /// Sets the minimum, maximum, and sum to what the counts tell of them: the ends of the first and the last bar, and
    /// the middle of each bar for its values.
    internal mutating func estimateFromCounts() {
        (smallest, largest, recordedSum) = (.max, 0, 0)
        for index in 0..<Self.countCount where counts[index] > 0 {
            let bar = bar(at: index)
            smallest = min(smallest, bar.values.lowerBound)
            largest = bar.values.upperBound
            recordedSum &+= UInt128(Self.middle(of: bar)) * UInt128(bar.count)
        }
    }

    /// Replaces estimates of a decoded histogram by exact values.
    /// - Parameters:
    ///   - minimum: The smallest value in nanoseconds; nil: it is not known.
    ///   - maximum: The largest value in nanoseconds; nil: it is not known.
    ///   - sum: The sum of all values in nanoseconds; nil: it is not known.
    /// - Returns: False, and nothing has changed, where the counts contradict one of the values.
    public mutating func refine(minimum: UInt64? = nil, maximum: UInt64? = nil, sum: UInt128? = nil) -> Bool {
        guard totalCount > 0 else { return minimum ?? 0 == 0 && maximum ?? 0 == 0 && sum ?? 0 == 0 }
        let (first, last) = (minimum ?? smallest, maximum ?? largest)
        guard Self.isCountedTogether(first, smallest), Self.isCountedTogether(last, largest), first <= last else {
            return false
        }
        let count = UInt128(totalCount)
        if let sum {
            guard UInt128(first) * count...UInt128(last) * count ~= sum else { return false }
            recordedSum = sum
        }
        (smallest, largest) = (first, last)
        return true
    }

    /// Whether two values have the same count; values above the range have none.
    private static func isCountedTogether(_ one: UInt64, _ other: UInt64) -> Bool {
        // The upper end of the last bar is above `largestValue`.
        index(of: one) < countCount && index(of: one) == index(of: other)
    }

    /// The value that so many per cent of the values do not exceed: the upper end of its bar, but no more than the maximum;
    /// for 0 the minimum. 0 without values. Which of the values it is, is rounded as by the C and Python libraries.
    /// - Parameter percentile: 0 through 100. 100 is the maximum.
    public func value(atPercentile percentile: Double) -> UInt64 {
        guard percentile > 0 else { return minimum }
        let share = min(percentile, 100) * Double(totalCount) / 100
        // A count that a Double cannot tell from the next power of two would be rounded up to that.
        let rank = max(1, share + 0.5 < Double(totalCount) ? UInt64(share + 0.5) : totalCount)
        var count: UInt64 = 0
        for index in 0..<Self.countCount {
            count += counts[index]
            guard count >= rank else { continue }
            return min(bar(at: index).values.upperBound, maximum)
        }
        return 0
    }
}
