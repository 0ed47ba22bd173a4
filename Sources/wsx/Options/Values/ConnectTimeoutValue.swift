import WSCore

/// Time limits for connecting: one over all, ones for single phases, or several of them: `10s`, `tls=3s`, `20s,name=2s`.
enum ConnectTimeoutValue {
    /// The phases as they are typed.
    static let phases: [(name: String, phase: ConnectError.Phase)] = [
        ("name", .resolving), ("connection", .connecting), ("proxy", .tunnelling), ("tls", .securing),
        ("upgrade", .upgrading),
    ]

    /// Adds what `text` says to what was said before.
    static func parse(_ text: String, into timeouts: inout ConnectTimeouts) throws(ValueProblem) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.firstIndex(of: "=") else {
                timeouts.whole = try DurationValue.parse(String(part), zeroAllowed: false)
                continue
            }
            let name = part[..<equals]
            guard let phase = phases.first(where: { $0.name == name })?.phase else {
                throw .notAChoice(phases.map { "\($0.name)=DURATION" })
            }
            let limit = try DurationValue.parse(String(part[part.index(after: equals)...]), zeroAllowed: false)
            timeouts.phases[phase] = limit
        }
    }
}
