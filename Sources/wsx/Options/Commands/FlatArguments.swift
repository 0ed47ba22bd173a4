// The options of a command by their own names, without those of their groups, until all code goes by way of the groups.

extension ConnectArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<ClientArguments, Value>) -> Value {
        get { client[keyPath: path] }
        set { client[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<FormatArguments, Value>) -> Value {
        get { format[keyPath: path] }
        set { format[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<EndingArguments, Value>) -> Value {
        get { ending[keyPath: path] }
        set { ending[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<ReplyArguments, Value>) -> Value {
        get { replies[keyPath: path] }
        set { replies[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<StayingArguments, Value>) -> Value {
        get { staying[keyPath: path] }
        set { staying[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<TranscriptArguments, Value>) -> Value {
        get { transcript[keyPath: path] }
        set { transcript[keyPath: path] = newValue }
    }
}

extension ListenArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<ServerArguments, Value>) -> Value {
        get { server[keyPath: path] }
        set { server[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<ProgramArguments, Value>) -> Value {
        get { programs[keyPath: path] }
        set { programs[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<AccessArguments, Value>) -> Value {
        get { access[keyPath: path] }
        set { access[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<WebArguments, Value>) -> Value {
        get { web[keyPath: path] }
        set { web[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<FormatArguments, Value>) -> Value {
        get { format[keyPath: path] }
        set { format[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<HeartbeatArguments, Value>) -> Value {
        get { heartbeats[keyPath: path] }
        set { heartbeats[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<CompressionArguments, Value>) -> Value {
        get { compression[keyPath: path] }
        set { compression[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<LimitArguments, Value>) -> Value {
        get { limits[keyPath: path] }
        set { limits[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<TranscriptArguments, Value>) -> Value {
        get { transcript[keyPath: path] }
        set { transcript[keyPath: path] = newValue }
    }
}

extension BenchArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<ClientArguments, Value>) -> Value {
        get { client[keyPath: path] }
        set { client[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<LoadArguments, Value>) -> Value {
        get { load[keyPath: path] }
        set { load[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<LoadMessageArguments, Value>) -> Value {
        get { loadMessages[keyPath: path] }
        set { loadMessages[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<ResultArguments, Value>) -> Value {
        get { result[keyPath: path] }
        set { result[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<DisplayArguments, Value>) -> Value {
        get { display[keyPath: path] }
        set { display[keyPath: path] = newValue }
    }
}

extension MergeArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<ResultArguments, Value>) -> Value {
        get { result[keyPath: path] }
        set { result[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<DisplayArguments, Value>) -> Value {
        get { display[keyPath: path] }
        set { display[keyPath: path] = newValue }
    }
}

extension ClientArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<RequestArguments, Value>) -> Value {
        get { request[keyPath: path] }
        set { request[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<NetworkArguments, Value>) -> Value {
        get { network[keyPath: path] }
        set { network[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<CloseFrameArguments, Value>) -> Value {
        get { closeFrame[keyPath: path] }
        set { closeFrame[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<CompressionArguments, Value>) -> Value {
        get { compression[keyPath: path] }
        set { compression[keyPath: path] = newValue }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<LimitArguments, Value>) -> Value {
        get { limits[keyPath: path] }
        set { limits[keyPath: path] = newValue }
    }
}

extension StayingArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<HeartbeatArguments, Value>) -> Value {
        get { heartbeats[keyPath: path] }
        set { heartbeats[keyPath: path] = newValue }
    }
}

extension TranscriptArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<DisplayArguments, Value>) -> Value {
        get { display[keyPath: path] }
        set { display[keyPath: path] = newValue }
    }
}

extension FaultArguments {
    subscript<Value>(dynamicMember path: WritableKeyPath<CloseFrameArguments, Value>) -> Value {
        get { closeFrame[keyPath: path] }
        set { closeFrame[keyPath: path] = newValue }
    }
}
