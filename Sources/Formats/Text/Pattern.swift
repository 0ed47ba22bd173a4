import CPCRE2
import WSCore

/// A Perl-compatible regular expression (PCRE2), to search UTF-8 text. Invalid UTF-8 matches nothing.
public final class Pattern {
    /// The expression as typed.
    public let source: String
    /// Called once, for the first search that exceeds the limits for steps or memory.
    public var didGiveUp: (() -> Void)?

    private let code: OpaquePointer
    private let matchData: OpaquePointer
    private let matchContext: OpaquePointer
    /// The stack for JIT-compiled code. If it cannot be allocated, this is `nil`, and 32 KiB of the thread's stack are
    /// used.
    private let stack: OpaquePointer?
    private var hasGivenUp = false

    /// The memory limit of a search, in bytes: enough for a group that repeats throughout a message of 1 MiB. It is
    /// allocated on demand.
    private static let maximumMemory = 64 << 20
    private static let initialStackBytes = 32 << 10

    /// Compiles an expression.
    /// - Throws: ``PatternError``.
    public init(_ source: String) throws(PatternError) {
        self.source = source
        var source = source
        var (number, offset) = (Int32(0), 0)
        // Allow searching invalid UTF-8: messages may be binary.
        let options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF
        let code = source.withUTF8 { bytes in
            pcre2_compile_8(bytes.baseAddress, bytes.count, options, &number, &offset, nil)
        }
        guard let code else { throw PatternError(reason: Self.message(of: number), offset: offset) }
        // If JIT compilation is unavailable or forbidden, the interpreter is used instead.
        pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
        let (matchData, matchContext) = (pcre2_match_data_create_8(1, nil), pcre2_match_context_create_8(nil))
        guard let matchData, let matchContext else {
            pcre2_match_context_free_8(matchContext)
            pcre2_match_data_free_8(matchData)
            pcre2_code_free_8(code)
            throw PatternError(reason: "there is no memory for it", offset: 0)
        }
        stack = pcre2_jit_stack_create_8(Self.initialStackBytes, Self.maximumMemory, nil)
        if let stack { pcre2_jit_stack_assign_8(matchContext, nil, UnsafeMutableRawPointer(stack)) }
        pcre2_set_heap_limit_8(matchContext, UInt32(Self.maximumMemory >> 10))
        self.code = code
        self.matchData = matchData
        self.matchContext = matchContext
    }

    deinit {
        pcre2_match_context_free_8(matchContext)
        pcre2_jit_stack_free_8(stack)
        pcre2_match_data_free_8(matchData)
        pcre2_code_free_8(code)
    }

    /// Whether the text contains a match. Returns `false` if a search exceeds the limits; see ``didGiveUp``.
    public func matches(_ text: RawSpan) -> Bool {
        firstMatch(in: text) != nil
    }

    /// Returns the byte range of the first match.
    /// - Parameter start: The byte offset at which the search starts, 0 through the length of the text.
    public func firstMatch(in text: RawSpan, from start: Int = 0) -> Range<Int>? {
        var result = search(text, from: start)
        // The interpreter uses other memory.
        if result == PCRE2_ERROR_JIT_STACKLIMIT { result = search(text, from: start, options: PCRE2_NO_JIT) }
        guard result >= 0, let bounds = pcre2_get_ovector_pointer_8(matchData) else {
            if Self.isLimit(result) { giveUp() }
            return nil
        }
        // \K can place the beginning after the end.
        return min(bounds[0], bounds[1])..<max(bounds[0], bounds[1])
    }

    private func search(_ text: RawSpan, from start: Int, options: UInt32 = 0) -> Int32 {
        text.withUnsafeBytes { bytes in
            // An empty text has no address; PCRE2 accepts that only since 10.43.
            withUnsafePointer(to: 0) { nothing in
                pcre2_match_8(
                    code, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, bytes.count, start,
                    options, matchData, matchContext)
            }
        }
    }

    /// Whether a search ended without a result because of a limit.
    private static func isLimit(_ result: Int32) -> Bool {
        switch result {
        case PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_JIT_STACKLIMIT,
            PCRE2_ERROR_NOMEMORY:
            true
        default: false
        }
    }

    private func giveUp() {
        guard !hasGivenUp else { return }
        hasGivenUp = true
        didGiveUp?()
    }

    private static func message(of number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = pcre2_get_error_message_8(number, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
        }
    }
}

/// Why a text is not a regular expression.
public struct PatternError: Error, Equatable, CustomStringConvertible {
    /// The reason in the words of PCRE2.
    public let reason: String
    /// The position in the text, in bytes from 0.
    public let offset: Int

    /// The reason and the position in words.
    public var description: String { "\(reason) (at byte \(offset + 1))" }
}
