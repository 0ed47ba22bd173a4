import CPCRE2
import WSCore

/// A regular expression in the syntax of Perl, by PCRE2, searched for in UTF-8 text; bytes that are none match nothing.
public final class Pattern {
    /// As it was typed.
    public let source: String
    /// Called with the first search that is given up: it takes too many steps, or too much memory.
    public var didGiveUp: (() -> Void)?

    private let code: OpaquePointer
    private let matchData: OpaquePointer
    private let matchContext: OpaquePointer
    /// The stack of compiled code; nil: there is no memory for it, and the thread's is used, of which it takes 32 KiB.
    private let stack: OpaquePointer?
    private var hasGivenUp = false

    /// The most memory of one search, in bytes, which is that for a group that repeats through a message of 1 MiB. It is
    /// taken as it is needed.
    private static let maximumMemory = 64 << 20
    private static let initialStackBytes = 32 << 10

    /// Compiles an expression, or throws ``PatternError``.
    public init(_ source: String) throws(PatternError) {
        self.source = source
        var source = source
        var (number, offset) = (Int32(0), 0)
        // Bytes that are not UTF-8 may be searched, too: binary messages.
        let options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF
        let code = source.withUTF8 { bytes in
            pcre2_compile_8(bytes.baseAddress, bytes.count, options, &number, &offset, nil)
        }
        guard let code else { throw PatternError(reason: Self.message(of: number), offset: offset) }
        // Where the machine or its rules allow no compiled code, the interpreter does the same.
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

    /// Whether the expression is found in the text. Where that cannot be decided, it is not: see ``didGiveUp``.
    public func matches(_ text: RawSpan) -> Bool {
        firstMatch(in: text) != nil
    }

    /// Where the expression is found first, in bytes.
    /// - Parameter start: Where the search begins, in bytes: 0 through the length of the text.
    public func firstMatch(in text: RawSpan, from start: Int = 0) -> Range<Int>? {
        var result = search(text, from: start)
        // The interpreter has its memory elsewhere.
        if result == PCRE2_ERROR_JIT_STACKLIMIT { result = search(text, from: start, options: PCRE2_NO_JIT) }
        guard result >= 0, let bounds = pcre2_get_ovector_pointer_8(matchData) else {
            if Self.isLimit(result) { giveUp() }
            return nil
        }
        // \K can put the beginning behind the end.
        return min(bounds[0], bounds[1])..<max(bounds[0], bounds[1])
    }

    private func search(_ text: RawSpan, from start: Int, options: UInt32 = 0) -> Int32 {
        text.withUnsafeBytes { bytes in
            // An empty text has no address, which PCRE2 takes only from 10.43 on.
            withUnsafePointer(to: 0) { nothing in
                pcre2_match_8(
                    code, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, bytes.count, start,
                    options, matchData, matchContext)
            }
        }
    }

    /// Whether a search ended before it was known what is found.
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

/// Why a text is no regular expression.
public struct PatternError: Error, Equatable, CustomStringConvertible {
    /// In the words of PCRE2.
    public let reason: String
    /// Where in the text, in bytes from 0.
    public let offset: Int

    /// The reason and the place in words.
    public var description: String { "\(reason) (at byte \(offset + 1))" }
}
