/// Validates UTF-8 incrementally and fails at the first invalid byte.
///
/// A piece may end within a scalar. Its bytes so far (three at most) are kept and checked together with the next piece.
/// They are always a prefix of a valid scalar, so an invalid byte is reported with the piece that contains it.
public struct UTF8Validator: Sendable {
    @usableFromInline internal var pending: InlineArray<4, UInt8> = [0, 0, 0, 0]
    @usableFromInline internal var pendingCount = 0

    /// Creates a validator for a new text.
    @inlinable
    package init() {}

    /// Whether no scalar is incomplete, so the text may end here.
    @inlinable
    package var isAtBoundary: Bool { pendingCount == 0 }

    /// Validates the next piece. Returns whether the text so far is a prefix of valid UTF-8.
    @inlinable
    package mutating func validate(_ piece: RawSpan) -> Bool {
        var start = 0
        let count = piece.byteCount
        while pendingCount > 0, start < count {
            pending[pendingCount] = piece.unsafeLoad(fromByteOffset: start, as: UInt8.self)
            pendingCount += 1
            start += 1
            switch Self.judge(pending.span.extracting(0..<pendingCount)) {
            case .valid: pendingCount = 0
            case .truncated: continue
            case .invalid: return false
            }
        }
        guard start < count else { return true }
        let rest = piece.extracting(start..<count)
        switch Self.judge(rest._unsafeView(as: UInt8.self)) {
        case .valid: return true
        case .invalid: return false
        case .truncated(let offset):
            for index in offset..<rest.byteCount {
                pending[pendingCount] = rest.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                pendingCount += 1
            }
            return true
        }
    }

    /// Returns whether `text` is valid UTF-8.
    @inlinable
    public static func isValid(_ text: RawSpan) -> Bool {
        if isShortASCII(text) { return true }
        if case .valid = judge(text._unsafeView(as: UInt8.self)) { return true }
        return false
    }

    /// Whether `text` is ASCII of 8 to 64 bytes. Checking such text here is faster than calling the standard library.
    @inlinable
    internal static func isShortASCII(_ text: RawSpan) -> Bool {
        let count = text.byteCount
        guard count >= 8, count <= 64 else { return false }
        // Unless the count is a multiple of eight, the last word overlaps the one before it.
        var bits = text.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        var offset = 0
        while offset &+ 8 < count {
            bits |= text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @usableFromInline
    internal enum Judgement {
        case valid
        case invalid
        /// The last scalar starts at this offset and is incomplete but valid so far.
        case truncated(at: Int)
    }

    @inlinable
    internal static func judge(_ bytes: Span<UInt8>) -> Judgement {
        do {
            _ = try UTF8Span(validating: bytes)
            return .valid
        } catch {
            // A scalar is incomplete only if the error's range reaches the end of the text. A truncated scalar followed
            // by other bytes is invalid.
            guard error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count else { return .invalid }
            return .truncated(at: error.byteOffsets.lowerBound)
        }
    }
}
