/// What was typed for a command that has results, its ``ResultOptions`` by their own names.
@dynamicMemberLookup
protocol ResultArguments: DisplayArguments {
    var result: ResultOptions { get set }
    /// The files that are read, by what names them.
    var readFiles: [OutputPlace.Source] { get }
}

extension ResultArguments {
    /// One of the ``ResultOptions``.
    subscript<Value>(dynamicMember option: WritableKeyPath<ResultOptions, Value>) -> Value {
        get { result[keyPath: option] }
        set { result[keyPath: option] = newValue }
    }
}
