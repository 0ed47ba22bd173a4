import CommandLine

extension OptionSubjects {
    /// Messages of the command line.
    package static let messages = OptionSubjects(rawValue: 1 << 0)
    /// Whether standard input is read.
    package static let stdin = OptionSubjects(rawValue: 1 << 1)
    package static let inputFormat = OptionSubjects(rawValue: 1 << 2)
    package static let inputPace = OptionSubjects(rawValue: 1 << 3)
    package static let input: OptionSubjects = [.inputFormat, .inputPace]
    /// Whether messages are sent as text or binary.
    package static let kind = OptionSubjects(rawValue: 1 << 4)
    /// Sending binary messages.
    package static let binary = OptionSubjects(rawValue: 1 << 5)
    package static let output = OptionSubjects(rawValue: 1 << 6)
    /// Output that is neither whole messages as text nor events.
    package static let messageOutput = OptionSubjects(rawValue: 1 << 7)
    /// The end of a run.
    package static let ending = OptionSubjects(rawValue: 1 << 8)
    package static let requests = OptionSubjects(rawValue: 1 << 9)
    /// Matching replies to requests by their contents.
    package static let matching = OptionSubjects(rawValue: 1 << 10)
    /// The login and automatic answers.
    package static let exchange = OptionSubjects(rawValue: 1 << 11)
    package static let heartbeatMessage = OptionSubjects(rawValue: 1 << 12)
    /// All messages that a server sends.
    package static let service = OptionSubjects(rawValue: 1 << 13)
}
