/// An extension with its parameters in Sec-WebSocket-Extensions (RFC 6455 §9.1).
package struct ExtensionOffer: Equatable, Sendable, CustomStringConvertible {
    /// A parameter: a name and an optional value, both tokens.
    package struct Parameter: Equatable, Sendable {
        /// The name.
        package let name: String
        /// The value, or `nil` for a parameter without one.
        package let value: String?

        /// Creates a parameter. Both arguments must be tokens.
        package init(_ name: String, _ value: String? = nil) {
            precondition(ASCII.isToken(name) && value.map { ASCII.isToken($0) } ?? true)
            self.name = name
            self.value = value
        }
    }

    /// The registered name of the extension, such as `permessage-deflate`.
    package let name: String
    /// The parameters in order. Names may repeat.
    package let parameters: [Parameter]

    /// Creates an extension. The name must be a token.
    package init(name: String, parameters: [Parameter] = []) {
        precondition(ASCII.isToken(name))
        self.name = name
        self.parameters = parameters
    }

    /// The extension as in the header field: `name; parameter; parameter=value`.
    package var description: String {
        parameters.reduce(name) { text, parameter in
            text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
        }
    }
}
