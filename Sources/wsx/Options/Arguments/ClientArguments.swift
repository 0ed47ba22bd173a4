import WSCore

/// What was typed for a command that connects to a server, its ``ClientOptions`` by their own names.
@dynamicMemberLookup
protocol ClientArguments: CommonArguments {
    var client: ClientOptions { get set }
}

extension ClientArguments {
    /// One of the ``ClientOptions``.
    subscript<Value>(dynamicMember option: WritableKeyPath<ClientOptions, Value>) -> Value {
        get { client[keyPath: option] }
        set { client[keyPath: option] = newValue }
    }
}
