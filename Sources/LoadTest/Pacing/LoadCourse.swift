/// A quantity over time that moves linearly from target to target: a rate, or a number of connections.
///
///      500 │             ╱╲
///          │         ╱     ╲
///      100 │     ╱          ╲
///        0 └──╱──────────────╲
///
/// It stays at the last target. Times are in seconds from the start.
struct LoadCourse: Equatable, Sendable {
    /// A part between two times in which the quantity is a linear function.
    private struct Segment: Equatable {
        let start: Double
        let end: Double
        let startValue: Double
        let endValue: Double
        /// The integral from the start of the course to the start of the segment.
        let integral: Double

        var slope: Double { end.isFinite ? (endValue - startValue) / (end - start) : 0 }
    }

    /// The segments in order. Each one has a length, and the last one has no end.
    private let segments: [Segment]

    /// Creates a course from zero through the targets.
    init(_ stages: [LoadStages.Stage]) {
        self.init(stages.map { (Double($0.target), $0.duration) })
    }

    /// Creates a course from zero to a constant value.
    init(to value: Double, within duration: Duration) {
        self.init([(value, duration)])
    }

    private init(_ targets: [(value: Double, duration: Duration)]) {
        var segments: [Segment] = []
        var (time, value, integral) = (Duration.zero, 0.0, 0.0)
        for (target, duration) in targets {
            // A duration of zero is a jump.
            if duration > .zero {
                let start = time / .seconds(1)
                time += duration
                let segment = Segment(
                    start: start, end: time / .seconds(1), startValue: value, endValue: target, integral: integral)
                segments.append(segment)
                integral += (value + target) / 2 * (segment.end - segment.start)
            }
            value = target
        }
        segments.append(
            Segment(start: time / .seconds(1), end: .infinity, startValue: value, endValue: value, integral: integral))
        self.segments = segments
    }

    /// The time at which the integral reaches a number, or infinity if it never does. If the quantity is zero then, it
    /// is the time from which it grows again.
    func time(ofIntegral number: Double) -> Double {
        // There is always a segment: the first one begins with an integral of zero.
        guard let segment = segments.last(where: { $0.integral <= number }) else { return 0 }
        let rest = number - segment.integral
        guard rest > 0 else { return segment.start }
        // The solution of rest = value · t + slope · t² / 2 that is exact for a small or absent slope.
        let discriminant = segment.startValue * segment.startValue + 2 * segment.slope * rest
        return segment.start + 2 * rest / (segment.startValue + max(0, discriminant).squareRoot())
    }

    /// The quantity at a time.
    func value(at time: Double) -> Double {
        guard let segment = segment(at: time), segment.end.isFinite else { return segments.last?.endValue ?? 0 }
        let part = (time - segment.start) / (segment.end - segment.start)
        return segment.startValue + (segment.endValue - segment.startValue) * part
    }

    /// The first time from a time on at which the quantity rises above a limit or falls to another one, or at which it
    /// changes its direction. It is `nil` if the quantity stays constant.
    func nextChange(from time: Double, above upper: Double, downTo lower: Double) -> Double? {
        guard let segment = segment(at: time), segment.end.isFinite else { return nil }
        guard segment.slope != 0 else { return segment.end }
        let limit = segment.slope > 0 ? upper : lower
        return min(segment.end, segment.start + (limit - segment.startValue) / segment.slope)
    }

    private func segment(at time: Double) -> Segment? { segments.first { time < $0.end } }
}

/// The stages of a load: the targets that the number of connections, or the rate, reaches one after another.
package struct LoadStages: Equatable, Sendable {
    /// A part of a run in which the load moves linearly to a target.
    package struct Stage: Equatable, Sendable {
        /// The load at the end of the stage; 0 or more.
        package var target: Int
        /// The length of the stage. Zero is a jump.
        package let duration: Duration

        /// Creates a stage.
        package init(target: Int, duration: Duration) {
            self.target = target
            self.duration = duration
        }
    }

    /// The stages in order.
    package internal(set) var stages: [Stage]
    internal let course: LoadCourse

    /// Creates stages. At least one of them needs a length, and at least one a target above 0.
    package init(_ stages: [Stage]) {
        self.stages = stages
        course = LoadCourse(stages)
    }

    /// The length of all stages.
    package var duration: Duration { stages.reduce(.zero) { $0 + $1.duration } }

    /// The largest target.
    package var maximum: Int { stages.map(\.target).max() ?? 0 }

    /// The ends of all stages, in nanoseconds from the start.
    internal var ends: [UInt64] {
        var end = Duration.zero
        return stages.map { stage in
            end += stage.duration
            return end.nanoseconds
        }
    }

    /// The number of a thread's connections that are active at a time, in nanoseconds from the start. Connection *n*,
    /// counted from 0, is active while the number of connections is above *n*.
    internal func activeCount(at time: UInt64, of shard: Shard) -> Int {
        shard.connectionCount(of: Int(course.value(at: Double(time) / 1e9).rounded(.up)))
    }

    /// The time after which ``activeCount(at:of:)`` may differ, or `nil` if it stays the same.
    /// - Parameter count: The number of active connections now.
    internal func nextChange(from time: UInt64, activeCount count: Int, of shard: Shard) -> UInt64? {
        let lower = count > 0 ? Double(shard.connectionNumber(at: count - 1)) : -1
        let change = course.nextChange(
            from: Double(time) / 1e9, above: Double(shard.connectionNumber(at: count)), downTo: lower)
        // One nanosecond later, because the connection is active only above the limit.
        return change.map { max(time, UInt64(min($0 * 1e9, 0x1p62))) + 1 }
    }
}
