/// Counts durations by their size, with three significant digits, from a nanosecond to an hour: an HdrHistogram.
///
/// Values below 2,048 ns have a count each. Above, every power of two is cut into 1,024 parts of equal width, so that
/// no value is further than a thousandth of itself from the end of its part:
///
///      index   0 … 2047 │ 2048 … 3071 │ 3072 … 4095 │ …
///      value   0 … 2047 │ 2048 … 4095 │ 4096 … 8191 │ …
///      width          1 │           2 │           4 │ …
///
/// The layout is that of HdrHistogram (hdrhistogram.org) with 1, 3,600,000,000,000 and 3, which is also what the tools
/// that read its files expect of times: nanoseconds.
///
/// The smallest value, the largest value, and the sum are kept beside the counts, so the minimum, maximum, and mean are
/// exact. Percentiles and the standard deviation come from the counts. Adding histograms loses nothing.
public struct Histogram: ~Copyable {
    /// The largest value that is told from larger ones, in nanoseconds: an hour.
    @inlinable public static var largestValue: UInt64 { 3_600_000_000_000 }
    /// The number of parts in each power of two, as a power of two.
    @inlinable internal static var partBits: Int { 10 }
    /// The number of counts: those of the last power of two are there in full.
    internal static let countCount = (index(of: largestValue) >> partBits + 1) << partBits

    /// How often a value of each index was recorded.
    @usableFromInline internal let counts: UnsafeMutablePointer<UInt64>
    @usableFromInline internal var recordedCount: UInt64 = 0
    /// The smallest recorded value; `UInt64.max` without values.
    @usableFromInline internal var smallest: UInt64 = .max
    /// The largest recorded value; 0 without values.
    @usableFromInline internal var largest: UInt64 = 0
    /// The sum of all recorded values. `UInt64.max` values of an hour need 106 bits.
    @usableFromInline internal var recordedSum: UInt128 = 0

    /// Makes an empty histogram, which takes 264 KiB.
    public init() {
        counts = .allocate(capacity: Self.countCount)
        counts.initialize(repeating: 0, count: Self.countCount)
    }

    deinit {
        counts.deallocate()
    }

    /// The number of values that were recorded.
    @inlinable public var totalCount: UInt64 { recordedCount }

    /// Where a value is counted.
    @inlinable
    internal static func index(of value: UInt64) -> Int {
        let wholeMask: UInt64 = (2 << partBits) - 1
        let widthBits = 63 - partBits - (value | wholeMask).leadingZeroBitCount
        return widthBits &<< partBits &+ Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: widthBits))
    }

    /// The smallest value of an index.
    internal static func smallestValue(at index: Int) -> UInt64 {
        let widthBits = max(0, index >> partBits - 1)
        return UInt64(index - widthBits << partBits) << UInt64(widthBits)
    }

    /// The number of values that an index stands for.
    internal static func width(at index: Int) -> UInt64 {
        1 << UInt64(max(0, index >> partBits - 1))
    }

    /// Counts a value, in nanoseconds; one of more than an hour as an hour.
    @inlinable @inline(__always)
    public mutating func record(_ value: UInt64) {
        let value = min(value, Self.largestValue)
        counts[Self.index(of: value)] &+= 1
        recordedCount &+= 1
        smallest = min(smallest, value)
        largest = max(largest, value)
        recordedSum &+= UInt128(value)
    }

    /// Counts the values of another histogram, too.
    public mutating func add(_ other: borrowing Histogram) {
        guard other.totalCount > 0 else { return }
        for index in 0..<Self.countCount { counts[index] &+= other.counts[index] }
        recordedCount &+= other.totalCount
        smallest = min(smallest, other.smallest)
        largest = max(largest, other.largest)
        recordedSum &+= other.recordedSum
    }

    /// Takes the values of another histogram off; what is not there cannot be.
    ///
    /// The counts do not tell which exact values remain. The minimum and maximum are then those of the remaining counts,
    /// within the earlier minimum and maximum.
    public mutating func subtract(_ other: borrowing Histogram) {
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

    /// Forgets everything.
    public mutating func removeAll() {
        guard totalCount > 0 else { return }
        counts.update(repeating: 0, count: Self.countCount)
        recordedCount = 0
        (smallest, largest, recordedSum) = (.max, 0, 0)
    }
}
