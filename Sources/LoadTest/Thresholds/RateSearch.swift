/// Chooses the rates of a search for the highest one that holds. It knows neither a clock nor a server.
///
///      rate │        ×
///           │            ×
///           │    ✓     ×   ✓ ✓
///           │           ✓ ✓
///           │ ✓
///           └──────────────────
///            doubled halved repeated
///
/// The rate doubles until one misses, or is halved until one holds. Then the interval between both is halved, until it
/// is small. Last, the best rate is repeated; if it misses, the search continues below.
package struct RateSearch: Equatable, Sendable {
    /// What a measurement says about its rate.
    package enum Outcome: Equatable, Sendable {
        case held
        /// Whether chance may have decided.
        case missed(isClose: Bool)
        /// It says nothing about the server.
        case inconclusive(isClose: Bool)
    }

    /// A rate that held, and the number of measurements that did.
    private struct Held: Equatable, Sendable {
        let rate: Int
        var count = 1
    }

    /// A measurement.
    private struct Measurement: Equatable, Sendable {
        let rate: Int
        let outcome: Outcome
    }

    /// The first rate, in messages per second.
    private let first: Int
    /// The rates that held, in rising order.
    private var held: [Held] = []
    /// The lowest rate that counts as missed, or `nil` if none does.
    package private(set) var missed: Int?
    private var measurements: [Measurement] = []
    /// The evidence of the last measurements against their rate, which is measured once more.
    private var evidence = 0

    /// The number of measurements of the best rate that must hold.
    package static let repetitions = 3
    /// The number of measurements after which the search ends in any case.
    package static let mostMeasurements = 50
    /// The highest rate to measure, in messages per second: the largest one of `--rate`.
    private static let highest = 100_000_000
    /// The interval is small enough if it is at most this part of its lower end.
    private static let precision = 0.05

    /// The evidence of a measurement that does not hold, of which ``clear`` suffices: that of one, of two close ones, or
    /// of three that are inconclusive.
    private static let (clear, close, vague) = (6, 3, 2)

    /// Starts a search.
    /// - Parameter first: The first rate, at least 1.
    package init(from first: Int) {
        self.first = first
    }

    /// The highest rate that holds so far, or `nil` if none does.
    package var best: Int? { held.last?.rate }

    /// Whether the search has come to its end: the best rate has been repeated, or none holds.
    package var isComplete: Bool {
        evidence == 0 && missed != nil && (held.last.map { $0.count >= Self.repetitions } ?? (missed == 1)) && !isWide
    }

    /// The rates between which outcomes differed: from the lowest one that missed, or the best one, to the highest one
    /// that held, or the lowest one that missed above the best one. `nil` if no rate holds.
    package var spread: ClosedRange<Int>? {
        guard let best else { return nil }
        let missed = measurements.filter { if case .missed = $0.outcome { true } else { false } }.map(\.rate)
        let highest = measurements.filter { $0.outcome == .held }.map(\.rate).max() ?? best
        let above = missed.filter { $0 > best }.min() ?? best
        return min(best, missed.min() ?? best)...max(above, highest)
    }

    /// Whether the interval between the best rate and the lowest one that missed has to be halved.
    private var isWide: Bool {
        guard let missed, let best else { return false }
        return missed - best > 1 && Double(missed - best) > Self.precision * Double(best)
    }

    /// The rate to measure next, in messages per second, or `nil` at the end.
    package var next: Int? {
        guard !isComplete, measurements.count < Self.mostMeasurements else { return nil }
        if evidence > 0 { return measurements.last?.rate }
        guard let missed else {
            guard let best else { return first }
            return best < Self.highest ? min(Self.highest, 2 * best) : nil
        }
        guard let best else { return max(1, missed / 2) }
        return isWide ? best + (missed - best) / 2 : best
    }

    /// Records the measurement of ``next``.
    package mutating func record(_ outcome: Outcome) {
        guard let rate = next else { return }
        measurements.append(Measurement(rate: rate, outcome: outcome))
        switch outcome {
        case .held:
            evidence = 0
            if best == rate { held[held.count - 1].count += 1 } else { held.append(Held(rate: rate)) }
            return
        case .missed(let isClose): evidence += isClose ? Self.close : Self.clear
        case .inconclusive(let isClose): evidence += isClose ? Self.vague : Self.clear
        }
        guard evidence >= Self.clear else { return }
        evidence = 0
        missed = rate
        held.removeAll { $0.rate >= rate }
    }
}
