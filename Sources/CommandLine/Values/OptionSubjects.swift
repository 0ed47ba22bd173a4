/// The subjects of options. An option may exclude all options about a subject, such as the format of the input.
public struct OptionSubjects: OptionSet, Sendable {
    /// One bit per subject.
    public let rawValue: UInt32

    /// Creates a set of subjects.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
