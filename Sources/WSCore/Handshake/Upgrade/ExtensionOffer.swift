/// An extension and its parameters, as Sec-WebSocket-Extensions offers or accepts it (RFC 6455 §9.1).
public struct ExtensionOffer: Equatable, Sendable, CustomStringConvertible {
    /// A parameter: a token, and a value that is a token, if it has one.
    public struct Parameter: Equatable, Sendable {
        /// The name.
        public let name: String
        /// The value; nil for a parameter that is a name alone.
        public let value: String?

        /// Takes tokens.
        public init(_ name: String, _ value: String? = nil) {
            precondition(ASCII.isToken(name) && value.map { ASCII.isToken($0) } ?? true)
            self.name = name
            self.value = value
        }
    }

    /// The extension's registered name, such as `permessage-deflate`.
    public let name: String
    /// The parameters in order; a name can come twice.
    public let parameters: [Parameter]

    /// Takes a token and parameters.
    public init(name: String, parameters: [Parameter] = []) {
        precondition(ASCII.isToken(name))
        self.name = name
        self.parameters = parameters
    }

    /// The form that the header field has: `name; parameter; parameter=value`.
    public var description: String {
        parameters.reduce(name) { text, parameter in
            text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
        }
    }
}
