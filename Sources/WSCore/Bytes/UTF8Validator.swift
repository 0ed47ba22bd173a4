/// Validates UTF-8 that arrives in pieces, and fails at the first piece that cannot be continued to valid text.
///
/// A piece may end inside a scalar; the scalar's bytes so far (three at most) are kept and judged together
/// with those that follow. What is kept is always the beginning of a valid scalar, so that an invalid byte
/// is found in the piece in which it arrives.
public struct UTF8Validator: Sendable {
    @usableFromInline internal var pending: InlineArray<4, UInt8> = [0, 0, 0, 0]
    @usableFromInline internal var pendingCount = 0

    /// Makes a validator at the beginning of a text.
    @inlinable
    public init() {}

    /// Whether the text may end here: no scalar is incomplete.
    @inlinable
    public var isAtBoundary: Bool { pendingCount == 0 }

    /// Takes the next piece of the text and tells whether all of the text so far is the beginning of valid UTF-8.
    @inlinable
    public mutating func validate(_ piece: RawSpan) -> Bool {
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

    /// Tells whether `text` is valid UTF-8 as a whole.
    @inlinable
    public static func isValid(_ text: RawSpan) -> Bool {
        if isShortASCII(text) { return true }
        if case .valid = judge(text._unsafeView(as: UInt8.self)) { return true }
        return false
    }

    /// Whether `text` is ASCII and so short that telling it here costs less than calling the standard library.
    @inlinable
    internal static func isShortASCII(_ text: RawSpan) -> Bool {
        let count = text.byteCount
        guard count >= 8, count <= 64 else { return false }
        // The last eight bytes overlap those before where the count is not a multiple of eight.
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
        /// The last scalar, which begins at this offset, is cut short and valid so far.
        case truncated(at: Int)
    }

    @inlinable
    internal static func judge(_ bytes: Span<UInt8>) -> Judgement {
        do {
            _ = try UTF8Span(validating: bytes)
            return .valid
        } catch {
            // The error's range reaches to the end when the text was cut inside a scalar; a truncated scalar
            // that is followed by something else is an invalid one.
            guard error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count else { return .invalid }
            return .truncated(at: error.byteOffsets.lowerBound)
        }
    }
}
