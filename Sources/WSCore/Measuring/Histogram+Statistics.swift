extension Histogram {
    /// A bucket: values counted together, and their count.
    package struct Bar: Equatable, Sendable {
        /// The values in the bucket, in nanoseconds.
        package let values: ClosedRange<UInt64>
        /// The number of recorded values, 1 or more.
        package let count: UInt64
    }

    /// Calls `body` for every bucket that is not empty, in ascending order of values.
    package func forEachBar<E: Error>(_ body: (Bar) throws(E) -> Void) throws(E) {
        for index in 0..<Self.countCount where counts[index] > 0 { try body(bar(at: index)) }
    }

    private func bar(at index: Int) -> Bar {
        let first = Self.smallestValue(at: index)
        return Bar(values: first...first + (Self.width(at: index) - 1), count: counts[index])
    }

    /// The smallest recorded value in nanoseconds; 0 without values.
    package var minimum: UInt64 { totalCount > 0 ? smallest : 0 }

    /// The largest recorded value in nanoseconds; 0 without values.
    package var maximum: UInt64 { largest }

    /// The index of the last count that is not 0, or nil without values.
    internal var lastIndex: Int? {
        guard totalCount > 0 else { return nil }
        return (0..<Self.countCount).last { counts[$0] > 0 }
    }

    /// The sum of all recorded values, in nanoseconds.
    package var sum: UInt128 { recordedSum }

    /// The mean in nanoseconds; 0 without values.
    package var mean: Double { totalCount > 0 ? Double(recordedSum) / Double(totalCount) : 0 }

    /// The standard deviation in nanoseconds, computed from the midpoints of the buckets; 0 without values.
    package var standardDeviation: Double {
        guard totalCount > 0 else { return 0 }
        // Use the mean of the midpoints rather than the exact mean, so that equal values have a deviation of 0.
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

    /// The midpoint as defined by HdrHistogram: the lower bound plus half of the width, rounded down.
    private static func middle(of bar: Bar) -> UInt64 {
        bar.values.lowerBound + (bar.values.upperBound - bar.values.lowerBound + 1) / 2
    }

    /// Estimates the minimum, maximum, and sum from the counts: the bounds of the first and last bucket, and the
    /// midpoint of each bucket for its values.
    internal mutating func estimateFromCounts() {
        (smallest, largest, recordedSum) = (.max, 0, 0)
        for index in 0..<Self.countCount where counts[index] > 0 {
            let bar = bar(at: index)
            smallest = min(smallest, bar.values.lowerBound)
            largest = bar.values.upperBound
            recordedSum &+= UInt128(Self.middle(of: bar)) * UInt128(bar.count)
        }
    }

    /// Replaces estimates of a decoded histogram with exact values.
    /// - Parameters:
    ///   - minimum: The smallest value in nanoseconds, or nil if unknown.
    ///   - maximum: The largest value in nanoseconds, or nil if unknown.
    ///   - sum: The sum of all values in nanoseconds, or nil if unknown.
    /// - Returns: Whether the values are consistent with the counts. If not, nothing changes.
    package mutating func refine(minimum: UInt64? = nil, maximum: UInt64? = nil, sum: UInt128? = nil) -> Bool {
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

    /// Whether two values are in the same bucket; false for values above the range.
    private static func isCountedTogether(_ one: UInt64, _ other: UInt64) -> Bool {
        // The upper bound of the last bucket is above `largestValue`.
        index(of: one) < countCount && index(of: one) == index(of: other)
    }

    /// Returns the value that `percentile` percent of the values do not exceed: the upper bound of its bucket, limited
    /// to the maximum. Returns the minimum for 0, and 0 without values. Ranks are rounded as in the C and Python
    /// libraries.
    /// - Parameter percentile: The percentile, 0 to 100.
    package func value(atPercentile percentile: Double) -> UInt64 {
        guard percentile > 0 else { return minimum }
        let share = min(percentile, 100) * Double(totalCount) / 100
        // For counts beyond a Double's precision, the sum could be rounded up past the total count.
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
