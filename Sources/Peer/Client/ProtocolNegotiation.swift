import Conversation
import WSCore

extension ProtocolSelection {
    /// The HTTP request before the WebSocket, or `nil` if the protocol needs none.
    /// - Parameter maximumRedirects: The maximum number of servers that it may lead to, one after another.
    func negotiation(maximumRedirects: Int) -> Connector.Negotiation? {
        guard let negotiation = descriptor.negotiation(parameters) else { return nil }
        return Connector.Negotiation { url in
            // A valid target remains valid: the suffix and the parameter need no escapes.
            (try? url.changingTarget(negotiation.requestTarget(for:))) ?? url
        } next: { body, request, redirects throws(ConnectError) in
            // These redirects are part of the protocol, so they need no option.
            var redirects = redirects
            redirects.maximum = maximumRedirects
            return try Self.next(body, request, redirects)
        }
    }

    /// Reads the response to a negotiation. SignalR's is the only one.
    private static func next(
        _ body: RawSpan, _ request: ClientRequest, _ redirects: RedirectPolicy
    ) throws(ConnectError) -> Connector.Negotiation.Next {
        let response: SignalRNegotiation
        do throws(SignalRNegotiationError) {
            response = try SignalRNegotiation(response: body)
        } catch {
            throw .negotiation(reason: "\(error)")
        }
        switch response {
        case .connect(let id): return .upgrade(request.addressed(to: request.url.adding(query: "id", id)))
        case .redirect(let location, let token):
            var next: ClientRequest
            do throws(RedirectError) {
                next = try request.redirected(toLocation: location, redirects)
            } catch {
                throw .redirect(error)
            }
            if let token {
                do throws(BearerTokenError) {
                    next = next.authorized(by: try BearerToken(token))
                } catch {
                    throw .negotiation(reason: "the access token in the response is invalid: \(error)")
                }
            }
            return .negotiate(next)
        }
    }
}
