import Formats
import WSCore

extension LogWriter {
    /// The writer for standard error, which all threads of the process share.
    package static let standardError = LogWriter(descriptor: StandardDescriptors.error) { count in
        "wsx: \(Phrase.lostLines(count))\n"
    }
}

extension Phrase {
    /// The notice for log lines that were dropped because standard error was not read in time.
    static func lostLines(_ count: Int) -> String {
        "\(grouped(count)) \(count == 1 ? "log line was" : "log lines were") lost: "
            + "nothing was reading standard error"
    }
}
