/// Divides the process's file descriptors between clients and everything else.
package struct DescriptorBudget: Sendable {
    /// The maximum number of open descriptors of the process.
    package let total: Int

    /// Reserved for everything but clients: standard streams, the loop's own descriptors, files, and a log.
    private static let reserve = 32
    /// Used by a loop on its own thread, plus one client that its listener holds back.
    private static let perThread = 8
    /// Reserved for clients that have just connected: a client that exceeds the limit must still receive its refusal.
    private static let arrivals = 16

    /// Divides `total` descriptors. The default raises the process's limit to the maximum that the system allows.
    package init(total: Int = DescriptorLimit.raise()) {
        self.total = total
    }

    /// The maximum number of concurrent client streams on each of several threads, at least 1.
    /// - Parameter reserved: The number of further descriptors reserved for files opened on behalf of clients.
    package func streams(onEachOf threadCount: Int = 1, besides reserved: Int = 0) -> Int {
        max(1, (total - Self.reserve - (threadCount - 1) * Self.perThread - reserved) / threadCount)
    }

    /// The maximum number of concurrent clients that use `descriptorCount` descriptors each, at least 1. They all run
    /// on one thread: clients that need several descriptors (`--exec`) exclude further threads (`--threads`).
    package func clients(with descriptorCount: Int) -> Int {
        max(1, (total - Self.reserve - Self.arrivals) / descriptorCount)
    }
}
