/// What a load test does with its connections: a name, and the descriptor that belongs to it.
///
/// Each mode is a file in `Workloads/` that has its descriptor and its workload, and a line in ``all``.
public struct BenchMode: Sendable {
    /// Options, wording, metrics, and workload.
    public let descriptor: ModeDescriptor

    /// All modes, in the order in which help and manual list them.
    public static let all: [BenchMode] = [.echo, .send, .receive, .connect, .broadcast, .idle]

    /// Makes the mode of a descriptor.
    internal init(_ descriptor: ModeDescriptor) {
        self.descriptor = descriptor
    }

    /// One sentence for the help.
    public var summary: String { descriptor.summary }
    /// The terms for what the mode sends and receives.
    public var wording: ModeWording { descriptor.wording }
    /// The meaning of the mode's counts.
    public var metrics: ModeMetrics { descriptor.metrics }
    /// The connections and messages of the mode.
    public var load: ModeLoad { descriptor.load }

    /// Whether an option has a meaning in this mode.
    public func accepts(_ option: ModeOption) -> Bool {
        descriptor.options.contains(option) || descriptor.ownOptions.contains(option)
    }
}

extension BenchMode: RawRepresentable, CaseIterable, Hashable {
    public static var allCases: [BenchMode] { all }

    /// The mode's name, as in `--mode` and in results.
    public var rawValue: String { descriptor.name }

    /// Finds a mode by its name; nil: there is none.
    public init?(rawValue name: String) {
        guard let mode = Self.all.first(where: { $0.rawValue == name }) else { return nil }
        self = mode
    }
}
