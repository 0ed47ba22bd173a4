import WSCore

/// Why a line makes no JSON-RPC call.
enum JSONRPCCallError: Error, Equatable, CustomStringConvertible {
    /// There is nothing but blanks.
    case noMethod
    /// A quotation mark of either kind, counted in bytes from 0, has no other to close it.
    case openQuote(offset: Int)
    /// A bracket or brace has no other to close it.
    case openBracket(offset: Int)
    /// Something other than a blank follows a text in single quotes; counted in bytes from 0.
    case afterQuote(offset: Int)
    /// Two of the arguments have the same name.
    case repeatedName(String)

    var description: String {
        switch self {
        case .noMethod: "there is no method; write a method and its arguments"
        case .openQuote(let offset): "the quote at byte \(offset + 1) is not closed"
        case .openBracket(let offset): "the bracket at byte \(offset + 1) is not closed"
        case .afterQuote(let offset): "byte \(offset + 1) follows a closing quote; write a space between arguments"
        case .repeatedName(let name): "the argument '\(escapingControls(name))' is there twice"
        }
    }
}
