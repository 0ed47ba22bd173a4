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
/// that read its files expect of times: nanoseconds. A count that is added to is all that recording costs, and that
/// histograms are added count by count makes their sum exact: minimum, maximum and mean come from the counts, too.
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
    @inlinable
    public mutating func record(_ value: UInt64) {
        counts[Self.index(of: min(value, Self.largestValue))] &+= 1
        recordedCount &+= 1
    }

    /// Counts the values of another histogram, too.
    public mutating func add(_ other: borrowing Histogram) {
        guard other.totalCount > 0 else { return }
        for index in 0..<Self.countCount { counts[index] &+= other.counts[index] }
        recordedCount &+= other.totalCount
    }

    /// Takes the values of another histogram off; what is not there cannot be.
    public mutating func subtract(_ other: borrowing Histogram) {
        for index in 0..<Self.countCount {
            let common = min(counts[index], other.counts[index])
            counts[index] &-= common
            recordedCount &-= common
        }
    }

    /// Forgets everything.
    public mutating func removeAll() {
        guard totalCount > 0 else { return }
        counts.update(repeating: 0, count: Self.countCount)
        recordedCount = 0
    }
}
