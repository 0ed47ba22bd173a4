import Conversation
import WSCore

/// Where a message at a server's prompt comes from, or which of them are shown.
package struct MessageOrigin: Equatable {
    /// The client's number; nil: any, or none.
    var client: Int?
    /// Nil: either.
    var side: RelaySide?

    /// The short form in the prompt: `@3 server`.
    var label: String { [client.map { "@\($0)" }, side?.rawValue].compactMap(\.self).joined(separator: " ") }

    /// The origin in words: `of client 3 from the server`.
    var words: String {
        [client.map { "of client \($0)" }, side.map { $0 == .client ? "from clients" : "from the server" }]
            .compactMap(\.self).joined(separator: " ")
    }

    /// Whether messages of another origin are among those of this one.
    func includes(_ other: MessageOrigin) -> Bool {
        (client == nil || client == other.client) && (side == nil || side == other.side)
    }
}
