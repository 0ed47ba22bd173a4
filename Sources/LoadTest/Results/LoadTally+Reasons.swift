import Formats

extension LoadTally {
    /// The faults as reasons of a failed run: `40 of 12,000 messages were lost`.
    package func reasons(in mode: BenchMode) -> [String] {
        let whole =
            switch mode.metrics.population {
            case .sent: sent
            // The sum of merged counts may overflow.
            case .deliveries: Int(clamping: UInt64(received) + UInt64(lost) + UInt64(mismatched))
            }
        return CountGroup.faults.filter { self[keyPath: $0.path] > 0 }.map { fault in
            let count = self[keyPath: fault.path]
            return "\(Phrase.grouped(count)) of \(Phrase.grouped(whole)) \(mode.wording.sentThings) "
                + "\(count == 1 ? "was" : "were") \(fault.words ?? "\(fault.name)")"
        }
    }
}
