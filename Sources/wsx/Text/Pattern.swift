import CPCRE2
import WSCore

/// A regular expression in the syntax of Perl, by PCRE2, searched for in UTF-8 text; bytes that are none match nothing.
final class Pattern {
    /// As it was typed.
    let source: String

    private let code: OpaquePointer
    private let matchData: OpaquePointer

    /// Compiles an expression, or throws ``PatternError``.
    init(_ source: String) throws(PatternError) {
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
        guard let matchData = pcre2_match_data_create_8(1, nil) else {
            pcre2_code_free_8(code)
            throw PatternError(reason: "there is no memory for it", offset: 0)
        }
        self.code = code
        self.matchData = matchData
    }

    deinit {
        pcre2_match_data_free_8(matchData)
        pcre2_code_free_8(code)
    }

    /// Whether the expression is found in the text. One that takes too many steps to decide is not.
    func matches(_ text: RawSpan) -> Bool {
        firstMatch(in: text) != nil
    }

    /// Where the expression is found first, in bytes.
    /// - Parameter start: Where the search begins, in bytes: 0 through the length of the text.
    func firstMatch(in text: RawSpan, from start: Int = 0) -> Range<Int>? {
        let result = text.withUnsafeBytes { bytes in
            // An empty text has no address, which PCRE2 takes only from 10.43 on.
            withUnsafePointer(to: 0) { nothing in
                pcre2_match_8(
                    code, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, bytes.count, start, 0,
                    matchData, nil)
            }
        }
        guard result >= 0, let bounds = pcre2_get_ovector_pointer_8(matchData) else { return nil }
        // \K can put the beginning behind the end.
        return min(bounds[0], bounds[1])..<max(bounds[0], bounds[1])
    }

    private static func message(of number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = pcre2_get_error_message_8(number, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, Int(count))), as: UTF8.self)
        }
    }
}
