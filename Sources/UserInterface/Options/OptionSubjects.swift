import CommandLine

extension OptionSubjects {
    /// Messages of the command line.
    static let messages = OptionSubjects(rawValue: 1 << 0)
    /// Whether standard input is read.
    static let stdin = OptionSubjects(rawValue: 1 << 1)
    static let inputFormat = OptionSubjects(rawValue: 1 << 2)
    static let inputPace = OptionSubjects(rawValue: 1 << 3)
    static let input: OptionSubjects = [.inputFormat, .inputPace]
    /// Whether messages are sent as text or binary.
    static let kind = OptionSubjects(rawValue: 1 << 4)
    /// Sending binary messages.
    static let binary = OptionSubjects(rawValue: 1 << 5)
    static let output = OptionSubjects(rawValue: 1 << 6)
    /// Output that is neither whole messages as text nor events.
    static let messageOutput = OptionSubjects(rawValue: 1 << 7)
    /// The end of a run.
    static let ending = OptionSubjects(rawValue: 1 << 8)
    static let requests = OptionSubjects(rawValue: 1 << 9)
    /// Matching replies to requests by their contents.
    static let matching = OptionSubjects(rawValue: 1 << 10)
    /// The login and automatic answers.
    static let exchange = OptionSubjects(rawValue: 1 << 11)
    static let heartbeatMessage = OptionSubjects(rawValue: 1 << 12)
    /// Staying connected to a server.
    static let staying = OptionSubjects(rawValue: 1 << 13)
    /// All messages that a server sends.
    static let service = OptionSubjects(rawValue: 1 << 14)
}
