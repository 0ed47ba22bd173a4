import WSCore

/// A message of the input, where the input is requests.
struct Request: Equatable {
    /// Counts the messages of the input from 1, also those that want no reply.
    let number: Int
    let payload: [UInt8]
    let kind: MessageKind
    /// Whether every connection begins with it.
    let isInitial: Bool
}
