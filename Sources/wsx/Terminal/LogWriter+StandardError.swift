import Formats
import WSCore

extension LogWriter {
    /// Standard error, which all threads of the process share.
    static let standardError = LogWriter(descriptor: StandardDescriptors.error) { count in
        "wsx: \(Phrase.lostLines(count))\n"
    }
}

extension Phrase {
    /// The loss of lines of the log, because standard error was not read in time.
    static func lostLines(_ count: Int) -> String {
        "\(grouped(count)) \(count == 1 ? "line of the log was" : "lines of the log were") lost: "
            + "standard error was not read"
    }
}
