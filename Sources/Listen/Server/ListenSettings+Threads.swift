import UserInterface
import WSCore

// Settings for several threads, each with its own server.
extension ListenSettings {
    /// The settings of all threads except the first, which has bound the port; `nil` with a single thread.
    func forFurtherThreads(listeningOn address: SocketAddress?) throws(Failure) -> [ListenSettings]? {
        guard let share, let address else { return nil }
        var all: [ListenSettings] = []
        for index in 1..<share.count {
            all.append(try forThread(.init(index: index, count: share.count), listeningOn: address))
        }
        return all
    }

    /// Checks that threads can serve clients independently.
    /// - Throws: ``Failure/badArgument(what:why:)`` if one thread would have to know all clients.
    static func checkThreads(
        _ arguments: ListenArguments, _ endpoints: [Server<ListenClient>.Endpoint]
    ) throws(Failure) {
        let what = "--threads"
        guard arguments.mode.traits.allowsThreads else {
            throw .badArgument(
                what: what, why: "several threads serve only --echo and --replay; add one of them, or omit --threads")
        }
        guard arguments.faults.rejection?.count == nil else {
            throw .badArgument(
                what: what, why: "a single thread must count the rejected requests; omit the count in --reject")
        }
        guard arguments.format.output != .json else {
            throw .badArgument(
                what: what, why: "events of several threads cannot be written in order; omit --output json")
        }
        guard endpoints.allSatisfy(\.isPort) else {
            throw .badArgument(what: what, why: "threads can share only a TCP port; listen on [ADDRESS:]PORT")
        }
    }
}

extension Server.Endpoint {
    fileprivate var isPort: Bool {
        if case .tcp = self { true } else { false }
    }
}
