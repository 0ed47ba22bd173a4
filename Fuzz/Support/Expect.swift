#if REPLAY
    import Testing

    /// Records findings as issues of a test, which then continues with the next input.
    enum Finding {
        /// The input that is being checked, for messages.
        @TaskLocal static var input = ""

        static func report(_ claim: String, file: StaticString, line: UInt) {
            Issue.record("\(input): \(claim) (\(file):\(line))")
        }
    }
#else
    /// Ends the process, which libFuzzer reports as a finding.
    enum Finding {
        static func report(_ claim: String, file: StaticString, line: UInt) {
            fatalError(claim, file: file, line: line)
        }
    }
#endif

/// Reports a finding unless `holds`.
/// - Parameters:
///   - holds: The property.
///   - claim: The expected and the actual value.
func expect(
    _ holds: Bool, _ claim: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !holds { Finding.report(claim(), file: file, line: line) }
}

/// Expects two values to be equal.
func expectEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ what: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    expect(left == right, "\(what()):\n  \(left)\n  \(right)", file: file, line: line)
}

/// Reports a finding after which the check cannot continue, and ends the process.
func unexpected(_ what: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    Finding.report(what, file: file, line: line)
    fatalError(what, file: file, line: line)
}

/// Expects text that a terminal shows as one line without side effects.
func expectOneSafeLine(_ text: String, file: StaticString = #fileID, line: UInt = #line) {
    expect(!text.isEmpty, "there are no words", file: file, line: line)
    // Code points, independent of the code under test.
    let driving = text.unicodeScalars.first { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
    expect(driving == nil, "a message contains \(String(describing: driving)): \(text)", file: file, line: line)
}
