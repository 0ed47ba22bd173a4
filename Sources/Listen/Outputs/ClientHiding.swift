import Formats
import Peer
import UserInterface

/// The conditions on messages that are neither written nor shown, for each client and its server.
final class ClientHiding {
    private let hidden: HiddenMessages
    /// The conditions, if each is about all messages.
    private var all: [MessageCondition]?
    /// Otherwise, those for each client and its server.
    private var byClient: [Int: (path: String?, client: [MessageCondition], server: [MessageCondition])] = [:]

    init(_ hidden: HiddenMessages) {
        self.hidden = hidden
        select()
        hidden.didChange = { [unowned self] in select() }
    }

    /// Prepares for the messages of a client, and of its server in a relay.
    /// - Parameter path: The path of its request in normalized form, or `nil` if it has none.
    func opened(_ number: Int, at path: String?) {
        byClient[number] = (path, [], [])
        if all == nil { select(for: number, at: path) }
    }

    func ended(_ number: Int) { byClient[number] = nil }

    /// The conditions on messages from a client, or to it.
    func conditions(_ direction: Transcript.Direction, _ client: Int) -> [MessageCondition] {
        all ?? (direction == .received ? byClient[client]?.client : byClient[client]?.server) ?? []
    }

    /// Applies changed conditions to all clients.
    private func select() {
        all = hidden.compiled.areUnlimited ? hidden.compiled.concerning() : nil
        guard all == nil else { return }
        for (number, selection) in byClient { select(for: number, at: selection.path) }
    }

    private func select(for number: Int, at path: String?) {
        let compiled = hidden.compiled
        byClient[number] = (path, compiled.concerning(.client, at: path), compiled.concerning(.server, at: path))
    }
}
