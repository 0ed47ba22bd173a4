/// Counts durations by size, from 1 ns to 1 hour with three significant digits: an HdrHistogram.
///
/// Each value below 2,048 ns has its own count. Above, every power of two is divided into 1,024 buckets of equal width,
/// so the error of a value is at most 0.1 %:
///
///      index   0 … 2047 │ 2048 … 3071 │ 3072 … 4095 │ …
///      value   0 … 2047 │ 2048 … 4095 │ 4096 … 8191 │ …
///      width          1 │           2 │           4 │ …
///
/// The layout is that of HdrHistogram (hdrhistogram.org) with the parameters 1, 3,600,000,000,000, and 3. The tools
/// that read its files also expect times in nanoseconds.
///
/// The minimum, maximum, and sum are kept in addition to the counts, so minimum, maximum, and mean are exact.
/// Percentiles and the standard deviation are computed from the counts. Adding histograms loses no precision.
package struct Histogram: ~Copyable {
    /// The largest value recorded without clamping, in nanoseconds: 1 hour.
    @inlinable package static var largestValue: UInt64 { 3_600_000_000_000 }
    /// The base-2 logarithm of the number of buckets per power of two.
    @inlinable internal static var partBits: Int { 10 }
    /// The number of counts, including all of the last power of two.
    internal static let countCount = (index(of: largestValue) >> partBits + 1) << partBits

    /// The number of recorded values by index.
    @usableFromInline internal let counts: UnsafeMutablePointer<UInt64>
    @usableFromInline internal var recordedCount: UInt64 = 0
    /// The smallest recorded value, or `UInt64.max` without values.
    @usableFromInline internal var smallest: UInt64 = .max
    /// The largest recorded value, or 0 without values.
    @usableFromInline internal var largest: UInt64 = 0
    /// The sum of all recorded values. `UInt64.max` values of 1 hour need 106 bits.
    @usableFromInline internal var recordedSum: UInt128 = 0

    /// Creates an empty histogram, which occupies 264 KiB.
    package init() {
        counts = .allocate(capacity: Self.countCount)
        counts.initialize(repeating: 0, count: Self.countCount)
    }

    deinit {
        counts.deallocate()
    }

    /// The number of recorded values.
    @inlinable package var totalCount: UInt64 { recordedCount }

    /// Returns the index of a value's count.
    @inlinable
    internal static func index(of value: UInt64) -> Int {
        let wholeMask: UInt64 = (2 << partBits) - 1
        let widthBits = 63 - partBits - (value | wholeMask).leadingZeroBitCount
        return widthBits &<< partBits &+ Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: widthBits))
    }

    /// Returns the smallest value with an index.
    internal static func smallestValue(at index: Int) -> UInt64 {
        let widthBits = max(0, index >> partBits - 1)
        return UInt64(index - widthBits << partBits) << UInt64(widthBits)
    }

    /// Returns the number of values with an index.
    internal static func width(at index: Int) -> UInt64 {
        1 << UInt64(max(0, index >> partBits - 1))
    }

    /// Records a value in nanoseconds. Values above 1 hour are recorded as 1 hour.
    /// - Parameter count: How many times to record it, less than 1 million. Default: 1.
    @inlinable @inline(__always)
    package mutating func record(_ value: UInt64, count: Int = 1) {
        let value = min(value, Self.largestValue)
        let count = UInt64(truncatingIfNeeded: count)
        counts[Self.index(of: value)] &+= count
        recordedCount &+= count
        smallest = min(smallest, value)
        largest = max(largest, value)
        // One hour takes 42 bits.
        recordedSum &+= UInt128(value &* count)
    }

    /// Adds the values of another histogram.
    package mutating func add(_ other: borrowing Histogram) {
        guard other.totalCount > 0 else { return }
        for index in 0..<Self.countCount { counts[index] &+= other.counts[index] }
        recordedCount &+= other.totalCount
        smallest = min(smallest, other.smallest)
        largest = max(largest, other.largest)
        recordedSum &+= other.recordedSum
    }

    /// Subtracts the values of another histogram. Counts do not fall below 0.
    ///
    /// The counts do not tell which exact values remain. Minimum, maximum, and sum are then estimated from the
    /// remaining counts; minimum and maximum stay within their earlier values.
    package mutating func subtract(_ other: borrowing Histogram) {
        for index in 0..<Self.countCount {
            let common = min(counts[index], other.counts[index])
            counts[index] &-= common
            recordedCount &-= common
        }
        let (earlierSmallest, earlierLargest) = (smallest, largest)
        estimateFromCounts()
        guard totalCount > 0 else { return }
        smallest = max(smallest, earlierSmallest)
        largest = min(largest, earlierLargest)
    }

    /// The histogram with fewer buckets per power of two, from 1,024 ns. Its encoding is smaller. Minimum, maximum, and
    /// sum stay exact.
    /// - Parameter bits: The base-2 logarithm of their number, less than 10. With 6, values are off by up to 0.8 %.
    package func coarsened(partBits bits: Int) -> Histogram {
        var coarse = Histogram()
        guard let lastIndex else { return coarse }
        let size = 1 << (Self.partBits - bits)
        for index in 0...lastIndex where counts[index] > 0 {
            let middle = index < 1 << Self.partBits ? index : index / size * size + size / 2
            // Keep the bucket of the maximum.
            coarse.counts[index / size == lastIndex / size ? lastIndex : middle] &+= counts[index]
        }
        coarse.recordedCount = recordedCount
        (coarse.smallest, coarse.largest, coarse.recordedSum) = (smallest, largest, recordedSum)
        return coarse
    }

    /// Removes all values.
    package mutating func removeAll() {
        guard totalCount > 0 else { return }
        counts.update(repeating: 0, count: Self.countCount)
        recordedCount = 0
        (smallest, largest, recordedSum) = (.max, 0, 0)
    }
}
