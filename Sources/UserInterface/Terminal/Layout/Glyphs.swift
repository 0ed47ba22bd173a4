import CReadline
import WSCore

/// The characters that outputs are drawn with: ASCII if the user's character set is not UTF-8. Both forms take the same
/// number of columns. Text of peers stays unchanged.
package enum Glyphs {
    /// Whether the environment names another character set than UTF-8. If it names none, the terminal decides.
    package static let areASCII = areASCII { name in getenv(name).map { String(cString: $0) } }

    package static let ellipsis = areASCII ? "~" : "…"
    static let sent = areASCII ? ">" : "→"
    static let received = areASCII ? "<" : "←"
    static let up = areASCII ? ">" : "↑"
    static let down = areASCII ? "<" : "↓"
    static let separator = areASCII ? "|" : "·"
    static let recording = areASCII ? "*" : "●"
    package static let times = areASCII ? "x" : "×"
    package static let axis = areASCII ? "|" : "│"
    /// Bars of increasing height.
    package static let heights = Array(areASCII ? "_.-=+*#@" : "▁▂▃▄▅▆▇█")
    /// The end of a horizontal bar, by eighths of a column, and a whole column.
    package static let widths =
        areASCII ? ["", "", "", "", "#", "#", "#", "#", "#"] : ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

    /// A line with the ellipses and bullets of errors in ASCII, if the user's character set is not UTF-8.
    package static func drawable(_ line: String) -> String {
        guard areASCII, line.utf8.contains(where: { $0 > 0x7F }) else { return line }
        return String(line.map { $0 == "…" ? "~" : $0 == "•" ? "*" : $0 })
    }

    /// POSIX.1-2017 §8.2: the first of these variables that is not empty names the locale.
    static func areASCII(_ environment: (String) -> String?) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment($0) }.first { !$0.isEmpty }
        guard let locale else { return false }
        // `en_US.UTF-8@euro`
        let charset = locale.lowercased().split(separator: ".").dropFirst().first?.prefix { $0 != "@" }
        return charset != "utf-8" && charset != "utf8"
    }

    /// Makes readline use UTF-8, whatever the environment names.
    static func setLocale() {
        // Looked up first, because the environment changes.
        _ = areASCII
        wsx_readline_set_locale()
    }
}
