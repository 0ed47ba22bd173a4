import UserInterface

/// The phases of a `listen` run, and how it ends.
struct ListenState {
    enum Phase {
        /// Serving clients.
        case serving
        /// Waiting for the last clients and programs.
        case ending(EndCause)
        /// Waiting only for the outputs.
        case stopping(EndCause)
    }

    /// Why the run ends.
    enum EndCause {
        case asked
        /// The only client of `--once` has left.
        case onlyClientLeft
    }

    var phase = Phase.serving
    /// The failure to report at the end, if any.
    private(set) var failure: Failure?

    var endCause: EndCause? {
        switch phase {
        case .serving: nil
        case .ending(let cause), .stopping(let cause): cause
        }
    }

    var isStopping: Bool { if case .stopping = phase { true } else { false } }

    /// Only the first failure counts.
    mutating func fail(with failure: Failure?) {
        if self.failure == nil { self.failure = failure }
    }
}
