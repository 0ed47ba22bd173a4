/// How the descriptors that the process may have are divided between its clients and all else.
public struct DescriptorBudget: Sendable {
    /// How many the process may have open.
    public let total: Int

    /// What is left for everything but clients: standard streams, the loop's own, files, a log.
    private static let reserve = 32
    /// What a loop on a thread of its own has open, and a client that its listener holds back.
    private static let perThread = 8
    /// What is left for clients who have just come: one for whom there is no room is to be told so.
    private static let arrivals = 16

    /// Divides `total`; by default all that the system allows, for which the limit is raised.
    public init(total: Int = DescriptorLimit.raise()) {
        self.total = total
    }

    /// The most streams of clients at a time on each of several threads, at least 1.
    /// - Parameter reserved: What is left besides for what is opened for clients.
    public func streams(onEachOf threadCount: Int = 1, besides reserved: Int = 0) -> Int {
        max(1, (total - Self.reserve - (threadCount - 1) * Self.perThread - reserved) / threadCount)
    }

    /// The most clients at a time for each of which so many descriptors are open, at least 1, all of them on one thread:
    /// clients that need several (`--exec`) exclude further threads (`--threads`).
    public func clients(with descriptorCount: Int) -> Int {
        max(1, (total - Self.reserve - Self.arrivals) / descriptorCount)
    }
}
