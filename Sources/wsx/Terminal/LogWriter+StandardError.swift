import WSCore

extension LogWriter {
    /// Standard error, which all threads of the process share.
    static let standardError = LogWriter(descriptor: StandardDescriptors.error) { count in
        "wsx: \(Phrase.lostLines(count))\n"
    }
}
