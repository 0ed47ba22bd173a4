import TestSupport
import Testing
import WSCore

@Suite struct UTF8ValidatorTests {
    @Test("RFC 6455 §8.1: valid text is accepted, however it is split", arguments: UTF8Vectors.valid)
    func valid(text: [UInt8]) {
        for pieces in feedings(of: text) {
            var validator = UTF8Validator()
            for piece in pieces { expectBeginning(&validator, piece) }
            expectTrue(validator.isAtBoundary)
        }
        expectTrue(isValid(text))
    }

    @Test(
        "RFC 6455 §8.1: invalid text is rejected with the piece that contains its first invalid byte",
        arguments: UTF8Vectors.invalid)
    func invalid(text: UTF8Vectors.Invalid) {
        for pieces in feedings(of: text.bytes) {
            expectEqual(firstInvalidPiece(pieces), pieces.firstIndex { $0.contains(index: text.failsAt) })
        }
        expectFalse(isValid(text.bytes))
    }

    @Test(
        "RFC 6455 §8.1: text truncated within a scalar is valid so far but must not end there",
        arguments: UTF8Vectors.truncated
    )
    func truncated(text: [UInt8]) {
        for pieces in feedings(of: text) {
            var validator = UTF8Validator()
            for piece in pieces { expectBeginning(&validator, piece) }
            expectFalse(validator.isAtBoundary)
        }
        expectFalse(isValid(text))
    }

    @Test("one invalid byte is detected at every position of texts of many lengths")
    func everyPosition() {
        for count in 1...100 {
            for position in 0..<count {
                var text = [UInt8](repeating: 0x61, count: count)
                text[position] = 0x80
                if isValid(text) { Issue.record("byte \(position) of \(count)") }
            }
            expectTrue(isValid([UInt8](repeating: 0x7F, count: count)))
        }
    }

    @Test("all one- and two-byte sequences are classified as in Unicode table 3-7")
    func everyPair() {
        for first in UInt8.min...UInt8.max {
            expectAgreement([first])
            for second in UInt8.min...UInt8.max { expectAgreement([first, second]) }
        }
    }

    @Test("three- and four-byte sequences are classified as in Unicode table 3-7")
    func longSequences() {
        let edges: [UInt8] = [0x7F, 0x80, 0xBF, 0xC0]
        for first in UInt8(0xE0)...0xF5 {
            for second in UInt8.min...UInt8.max {
                for third in edges {
                    expectAgreement([first, second, third])
                    for fourth in edges { expectAgreement([first, second, third, fourth]) }
                }
            }
        }
    }

    @Test("an empty piece has no effect")
    func emptyPiece() {
        var validator = UTF8Validator()
        expectBeginning(&validator, [])
        expectBeginning(&validator, [0xE2, 0x82])
        expectBeginning(&validator, [])
        expectFalse(validator.isAtBoundary)
        expectBeginning(&validator, [0xAC])
        expectTrue(validator.isAtBoundary)
    }

    private func expectBeginning(_ validator: inout UTF8Validator, _ piece: ArraySlice<UInt8>) {
        let isValid = validator.validate(piece.span.bytes)
        expectTrue(isValid)
    }

    private func isValid(_ text: [UInt8]) -> Bool {
        UTF8Validator.isValid(text.span.bytes)
    }

    private func firstInvalidPiece(_ pieces: [ArraySlice<UInt8>]) -> Int? {
        var validator = UTF8Validator()
        return pieces.firstIndex { !validator.validate($0.span.bytes) }
    }

    private func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        for index in bytes.indices where !validator.validate(bytes.span.bytes.extracting(index..<index + 1)) {
            return index
        }
        return nil
    }

    /// Compares the validator with a table, byte by byte and at once.
    private func expectAgreement(_ bytes: [UInt8]) {
        let expected = Self.verdict(on: bytes)
        var whole = UTF8Validator()
        let wholeIsValid = whole.validate(bytes.span.bytes)
        let isValid = isValid(bytes)
        guard wholeIsValid == (expected.failsAt == nil), isValid == (wholeIsValid && expected.isAtBoundary),
            !wholeIsValid || whole.isAtBoundary == expected.isAtBoundary,
            firstInvalidByte(bytes) == expected.failsAt
        else {
            Issue.record("\(bytes)")
            return
        }
    }

    /// Unicode 16, table 3-7, well-formed UTF-8 byte sequences.
    private static func verdict(on bytes: [UInt8]) -> (failsAt: Int?, isAtBoundary: Bool) {
        var next: ClosedRange<UInt8> = 0x80...0xBF
        var remaining = 0
        for (index, byte) in bytes.enumerated() {
            if remaining > 0 {
                guard next.contains(byte) else { return (index, false) }
                remaining -= 1
                next = 0x80...0xBF
                continue
            }
            switch byte {
            case 0x00...0x7F: break
            case 0xC2...0xDF: remaining = 1
            case 0xE0: (remaining, next) = (2, 0xA0...0xBF)
            case 0xED: (remaining, next) = (2, 0x80...0x9F)
            case 0xE1...0xEC, 0xEE...0xEF: remaining = 2
            case 0xF0: (remaining, next) = (3, 0x90...0xBF)
            case 0xF1...0xF3: remaining = 3
            case 0xF4: (remaining, next) = (3, 0x80...0x8F)
            default: return (index, false)
            }
        }
        return (nil, remaining == 0)
    }
}

extension ArraySlice {
    /// Whether the slice contains the element at an index of the whole array.
    func contains(index: Int) -> Bool {
        startIndex <= index && index < endIndex
    }
}
