/// Why a text is no regular expression.
struct PatternError: Error, Equatable, CustomStringConvertible {
    /// In the words of PCRE2.
    let reason: String
    /// Where in the text, in bytes from 0.
    let offset: Int

    var description: String { "\(reason) (at byte \(offset + 1))" }
}
