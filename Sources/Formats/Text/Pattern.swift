import CPCRE2
import WSCore

/// A Perl-compatible regular expression (PCRE2), to search messages.
///
/// Characters are those of UTF-8. A message that is not UTF-8 is searched again as a sequence of bytes if its valid parts
/// contain no match: `.` then matches any byte except a line feed, and `\xff` the byte FF. An expression that says what
/// must not follow or precede sees it as bytes only: in valid parts, an invalid byte looks like the end of the text.
package final class Pattern {
    /// The expression as typed.
    package let source: String
    /// Called once, for the first search that exceeds the limits for steps or memory.
    package var didGiveUp: (() -> Void)?
    /// The number of groups of the expression.
    package let groupCount: Int

    private let code: OpaquePointer
    /// The expression for bytes, which most runs never need. It is `nil` if the expression exists only for characters.
    private enum ByteCode {
        case unneeded
        case compiled(OpaquePointer?)
    }

    private var byteCode = ByteCode.unneeded
    private let matchData: OpaquePointer
    private let matchContext: OpaquePointer
    /// The stack for JIT-compiled code. If it cannot be allocated, this is `nil`, and 32 KiB of the thread's stack are
    /// used.
    private let stack: OpaquePointer?
    /// Whether a search exceeded the limits.
    package private(set) var hasGivenUp = false
    /// The number of steps after which a search gives up. Each one that does halves it, so that a message of many records
    /// takes about as long as one search.
    private var maximumSteps: UInt32 = 10_000_000
    private static let leastSteps: UInt32 = 2_000
    private let hasNegativeLookaround: Bool

    /// The memory limit of a search, in bytes: enough for a group that repeats throughout a message of 1 MiB. It is
    /// allocated on demand.
    private static let maximumMemory = 64 << 20
    private static let initialStackBytes = 32 << 10
    /// The number of groups whose ranges ``group(_:)`` returns: `$1` through `$9`.
    private static let capturedGroupCount = 9

    /// Compiles an expression.
    /// - Parameter isCapturing: Whether ``group(_:)`` is used, which takes time and memory. Defaults to false.
    /// - Throws: ``PatternError``.
    package init(_ source: String, isCapturing: Bool = false) throws(PatternError) {
        self.source = source
        var source = source
        var (number, offset) = (Int32(0), 0)
        // Allow searching invalid UTF-8: messages may be binary.
        let options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF
        let code = source.withUTF8 { bytes in
            pcre2_compile_8(bytes.baseAddress, bytes.count, options, &number, &offset, nil)
        }
        guard let code else {
            let isAtEnd = offset >= source.utf8.count
            let beginning = String(decoding: source.utf8.prefix(offset), as: UTF8.self)
            throw PatternError(reason: Self.message(of: number), characterOffset: isAtEnd ? nil : beginning.count)
        }
        // If JIT compilation is unavailable or forbidden, the interpreter is used instead.
        pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
        let rangeCount = UInt32(isCapturing ? 1 + Self.capturedGroupCount : 1)
        let (matchData, matchContext) = (pcre2_match_data_create_8(rangeCount, nil), pcre2_match_context_create_8(nil))
        guard let matchData, let matchContext else {
            pcre2_match_context_free_8(matchContext)
            pcre2_match_data_free_8(matchData)
            pcre2_code_free_8(code)
            throw PatternError(reason: "not enough memory", characterOffset: 0)
        }
        stack = pcre2_jit_stack_create_8(Self.initialStackBytes, Self.maximumMemory, nil)
        if let stack { pcre2_jit_stack_assign_8(matchContext, nil, UnsafeMutableRawPointer(stack)) }
        pcre2_set_heap_limit_8(matchContext, UInt32(Self.maximumMemory >> 10))
        pcre2_set_match_limit_8(matchContext, maximumSteps)
        hasNegativeLookaround = source.utf8.indices.contains {
            source.utf8[$0...].starts(with: "(?!".utf8) || source.utf8[$0...].starts(with: "(?<!".utf8)
        }
        var groupCount: UInt32 = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_CAPTURECOUNT), &groupCount)
        self.groupCount = Int(groupCount)
        self.code = code
        self.matchData = matchData
        self.matchContext = matchContext
    }

    /// Compiles an expression whose characters are bytes. Returns `nil` if it needs characters, such as `\x{20ac}`.
    private static func compileForBytes(_ source: String) -> OpaquePointer? {
        var source = source
        var (number, offset) = (Int32(0), 0)
        let code = source.withUTF8 { bytes in
            pcre2_compile_8(bytes.baseAddress, bytes.count, UInt32(PCRE2_NEVER_UTF), &number, &offset, nil)
        }
        if let code { pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE) }
        return code
    }

    deinit {
        pcre2_match_context_free_8(matchContext)
        pcre2_jit_stack_free_8(stack)
        pcre2_match_data_free_8(matchData)
        pcre2_code_free_8(code)
        if case .compiled(let code) = byteCode { pcre2_code_free_8(code) }
    }

    /// Whether the text contains a match. Returns `false` if a search exceeds the limits; see ``didGiveUp``.
    package func matches(_ text: RawSpan) -> Bool {
        firstMatch(in: text) != nil
    }

    /// Returns the byte range of the first match.
    /// - Parameter start: The byte offset at which the search starts, 0 through the length of the text.
    package func firstMatch(in text: RawSpan, from start: Int = 0) -> Range<Int>? {
        if hasNegativeLookaround, !UTF8Validator.isValid(text), let code = codeForBytes() {
            return firstMatch(of: code, in: text, from: start)
        }
        if let match = firstMatch(of: code, in: text, from: start) { return match }
        guard !UTF8Validator.isValid(text), let code = codeForBytes() else { return nil }
        return firstMatch(of: code, in: text, from: start)
    }

    private func codeForBytes() -> OpaquePointer? {
        if case .compiled(let code) = byteCode { return code }
        let code = Self.compileForBytes(source)
        byteCode = .compiled(code)
        return code
    }

    private func firstMatch(of code: OpaquePointer, in text: RawSpan, from start: Int) -> Range<Int>? {
        var result = search(code, text, from: start)
        // The interpreter uses other memory.
        if result == PCRE2_ERROR_JIT_STACKLIMIT { result = search(code, text, from: start, options: PCRE2_NO_JIT) }
        guard result >= 0, let bounds = pcre2_get_ovector_pointer_8(matchData) else {
            if Self.isLimit(result) { giveUp() }
            return nil
        }
        // \K can place the beginning after the end.
        return min(bounds[0], bounds[1])..<max(bounds[0], bounds[1])
    }

    /// Returns the byte range of a group in the match that was found last, or `nil` if the group took no part in it.
    /// - Parameter number: 1 through 9, or 0 for the whole match. The expression must be capturing, and the last search
    ///   must have found a match.
    package func group(_ number: Int) -> Range<Int>? {
        guard number <= groupCount, number < pcre2_get_ovector_count_8(matchData),
            let bounds = pcre2_get_ovector_pointer_8(matchData)
        else { return nil }
        let (start, end) = (bounds[2 * number], bounds[2 * number + 1])
        // The bounds of a group without a match are PCRE2_UNSET, which is -1 as a signed number.
        guard start >= 0, end >= 0 else { return nil }
        return min(start, end)..<max(start, end)
    }

    private func search(_ code: OpaquePointer, _ text: RawSpan, from start: Int, options: UInt32 = 0) -> Int32 {
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
        maximumSteps = max(Self.leastSteps, maximumSteps / 2)
        pcre2_set_match_limit_8(matchContext, maximumSteps)
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

/// The reason why a text is not a regular expression.
package struct PatternError: Error, Equatable, CustomStringConvertible {
    /// PCRE2's message.
    package let reason: String
    /// The number of characters before the error; nil: the error is at the end.
    package let characterOffset: Int?

    /// The reason and its position: `missing closing parenthesis at character 3`.
    package var description: String {
        "\(reason) at " + (characterOffset.map { "character \($0 + 1)" } ?? "the end")
    }
}

extension LibraryVersion {
    /// The version of PCRE2.
    package static var pcre2: LibraryVersion {
        // PCRE2 needs room for 24 bytes.
        var text = [UInt8](repeating: 0, count: 64)
        pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text)
        return LibraryVersion(name: "PCRE2", text: String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
    }
}
