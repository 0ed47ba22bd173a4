import CommandLine
import WSCore

/// Time limits for connecting, overall and for single phases: `10s`, `tls=3s`, `20s,name=2s`.
package enum ConnectTimeoutValue {
    /// The names of the phases.
    package static let phases: [(name: String, phase: ConnectError.Phase)] = [
        ("name", .resolving), ("connection", .connecting), ("proxy", .tunnelling), ("tls", .securing),
        ("upgrade", .upgrading),
    ]

    /// Parses limits and merges them into earlier ones.
    package static func parse(_ text: String, into timeouts: inout ConnectTimeouts) throws(ValueProblem) {
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

/// The SHA-256 of a public key.
package enum PinValue {
    /// Parses `sha256//` and the Base64 form of 32 bytes.
    package static func parse(_ text: String) throws(ValueProblem) -> TLSPin {
        do throws(TLSPinError) {
            return try TLSPin(text)
        } catch {
            throw .notAPin
        }
    }
}

/// The base-2 logarithm of the size of a compression window in bytes.
package enum WindowBitsValue {
    /// Parses a number in the range of RFC 7692 §7.1.2.
    package static func parse(_ text: String) throws(ValueProblem) -> Int {
        let range = DeflateParameters.windowBitsRange
        guard let bits = Int(text), String(bits) == text, range.contains(bits) else { throw .outOfRange(range) }
        return bits
    }
}
