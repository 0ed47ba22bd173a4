import WSCore

extension FuzzTarget {
    /// Text that arrives in pieces.
    ///
    /// - After each piece, the validator agrees with a table of the Unicode standard about all bytes so far.
    /// - It agrees with `String(validating:)` about the whole text.
    static let utf8 = FuzzTarget(name: "utf8") { input in
        let isText = String(validating: input, as: UTF8.self) != nil
        expectEqual(UTF8Validator.isValid(input.span.bytes), isText, "isValid, and String(validating:)")
        for pieces in waysToCut(input) + [[input[...]]] {
            var validator = UTF8Validator()
            var reference = UTF8Reference()
            for piece in pieces {
                reference.take(piece)
                let isGood = validator.validate(piece.span.bytes)
                expectEqual(
                    isGood, reference.verdict != .invalid, "after \(piece.endIndex) bytes, whether they are good")
                guard isGood else { break }
                let isAtBoundary = reference.verdict == .whole
                expectEqual(validator.isAtBoundary, isAtBoundary, "after \(piece.endIndex) bytes, isAtBoundary")
            }
            expectEqual(UTF8Reference.judge(input) == .whole, isText, "as a whole")
        }
    }
}
