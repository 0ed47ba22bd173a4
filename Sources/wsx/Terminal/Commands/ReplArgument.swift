import WSCore

/// What was typed after a command's name and one space.
struct ReplArgument {
    /// As typed; not always UTF-8.
    let bytes: [UInt8]

    /// As text, without blanks at its ends.
    var text: String {
        let text = String(decoding: bytes, as: UTF8.self)
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\n" }
        let start = text.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }

    /// The first word of the text, and what follows it and one blank.
    var words: (first: String, rest: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    /// Throws ``ReplMistake`` when something was typed after a command that takes nothing.
    func checkEmpty() throws(ReplMistake) {
        guard text.isEmpty else { throw ReplMistake("nothing follows this command") }
    }
}
