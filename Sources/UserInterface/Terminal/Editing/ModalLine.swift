/// A line in place of the one being typed, which takes all keys until it ends.
protocol ModalLine: AnyObject {
    /// Called when the line has changed without a key.
    var didChange: () -> Void { get set }
    /// The line, and the column of the cursor in it.
    /// - Parameter columns: The maximum width.
    func line(columns: Int) -> (text: StyledText, cursor: Int)
    /// Handles a key. Returns whether the line remains.
    func press(_ key: PromptKey) -> Bool
}

/// A key that a modal line receives.
enum PromptKey: Equatable {
    case text(String)
    case pasted(String)
    /// With the letter in upper case.
    case control(Unicode.Scalar)
    case enter
    case backspace
    case escape
    case up
    case down
    case other
}

/// Recognizes keys in the bytes of a terminal.
struct PromptKeyReader {
    private enum State {
        case idle
        /// The bytes of an incomplete character.
        case character([UInt8])
        /// The bytes of an escape sequence after the escape character.
        case sequence([UInt8])
    }

    private var state = State.idle
    /// Whether bytes belong to a bracketed paste, in which control characters have no effect.
    private var isPaste = false
    /// The maximum length of an escape sequence in bytes.
    private static let maximumSequenceBytes = 32

    /// Whether a pressed Escape key cannot yet be told from the beginning of a sequence.
    var mayBeEscape: Bool { if case .sequence(let bytes) = state { bytes.isEmpty && !isPaste } else { false } }

    /// Takes the key that no further byte has followed.
    mutating func escape() -> PromptKey {
        state = .idle
        return .escape
    }

    /// Receives a byte. Returns the key that it completes.
    mutating func receive(_ byte: UInt8) -> PromptKey? {
        switch state {
        case .character(let bytes) where byte & 0xC0 == 0x80: return character(bytes + [byte])
        // Pasted text may contain or end with an escape character, which the end of the paste follows.
        case .sequence where byte == 0x1B && isPaste:
            state = .sequence([])
            return nil
        case .sequence(let bytes): return sequence(bytes + [byte])
        case .idle, .character: break
        }
        state = .idle
        switch byte {
        case 0x1B:
            state = .sequence([])
            return nil
        case _ where isPaste && (byte < 0x20 || byte == 0x7F): return nil
        case 0x0A, 0x0D: return .enter
        case 0x08, 0x7F: return .backspace
        case 0..<0x20: return .control(Unicode.Scalar(byte + 0x40))
        default: return character([byte])
        }
    }

    private mutating func character(_ bytes: [UInt8]) -> PromptKey? {
        // The first byte has as many leading ones as the character has bytes, unless it is ASCII.
        let count = bytes[0] < 0xC0 ? 1 : min(4, (~bytes[0]).leadingZeroBitCount)
        guard bytes.count >= count else {
            state = .character(bytes)
            return nil
        }
        state = .idle
        return String(validating: bytes, as: UTF8.self).map { isPaste ? .pasted($0) : .text($0) }
    }

    private mutating func sequence(_ bytes: [UInt8]) -> PromptKey? {
        // ECMA-48 §5.4: a control sequence begins with `[` and ends with a byte from 40 to 7E. SS3 is `O` and one byte.
        let isControl = bytes[0] == UInt8(ascii: "[")
        let isComplete =
            isControl ? bytes.count > 1 && 0x40...0x7E ~= bytes[bytes.count - 1] : bytes != Array("O".utf8)
        guard isComplete || bytes.count >= Self.maximumSequenceBytes else {
            state = .sequence(bytes)
            return nil
        }
        state = .idle
        switch String(decoding: bytes, as: UTF8.self) {
        case "[A", "OA": return isPaste ? nil : .up
        case "[B", "OB": return isPaste ? nil : .down
        case "[200~": isPaste = true
        case "[201~": isPaste = false
        default: return isPaste ? nil : .other
        }
        return nil
    }
}
