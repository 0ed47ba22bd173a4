/// Why a text is not JSON.
enum JSONError: Error, Equatable, CustomStringConvertible {
    /// The text ends before the value does.
    case truncated
    /// A byte, counted from 0, that cannot be there.
    case unexpected(offset: Int)
    /// Objects and arrays lie deeper in one another than is taken.
    case tooDeep(limit: Int)

    var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .unexpected(let offset): "byte \(offset + 1) is not JSON"
        case .tooDeep(let limit): "it is nested deeper than \(limit) levels"
        }
    }
}
