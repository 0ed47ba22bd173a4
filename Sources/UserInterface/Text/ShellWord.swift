import WSCore

/// Words of command lines.
package enum ShellWord {
    /// Quotes a word for a POSIX shell. One with characters that could control a terminal has the form `$'...'`.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            "-_./:=@,+%".utf8.contains(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        }
        if isPlain, !word.isEmpty { return word }
        guard escapingControls(word) == word else { return ansiQuoted(word) }
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }

    private static func ansiQuoted(_ word: String) -> String {
        var quoted = "$'"
        for scalar in word.unicodeScalars {
            switch scalar {
            case "'", "\\": quoted += "\\\(scalar)"
            case _ where scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F:
                quoted.unicodeScalars.append(scalar)
            default:
                // Bytes, which do not depend on the locale. Three digits, because an octal number ends there.
                for byte in String(scalar).utf8 {
                    let digits = String(byte, radix: 8)
                    quoted += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
                }
            }
        }
        return quoted + "'"
    }
}
