import Conversation
import Formats
import Peer
import WSCore

// What the live page asks for.
extension ListenRun {
    /// Performs an action of the page, like a typed line.
    func perform(_ action: PageAction) throws(PageProblem) {
        switch action {
        case .send(let item, let payload, let client, let toServer):
            guard !toServer || settings.relay != nil else { throw PageProblem("there is no server to send to") }
            let client = settings.relay == nil ? client : client ?? onlyClient
            if let problem = try send(item, payload, to: client, toServer: toServer) {
                throw PageProblem("not sent: \(problem)")
            }
        case .hold, .release, .drop: throw PageProblem("this run holds no messages")
        }
    }

    private var onlyClient: Int? {
        broadcaster.clients.count == 1 ? broadcaster.clients.all.first?.number : nil
    }

    private func send(
        _ item: InputItem, _ payload: [UInt8], to client: Int?, toServer: Bool
    ) throws(PageProblem) -> DeliveryProblem? {
        guard case .message(let kind) = item else {
            return send(typed: item, payload.span.bytes, to: client, toServer: toServer)
        }
        do throws(CodecError) {
            return try (toServer ? serverEncoder : broadcaster.encoder).encode(payload.span.bytes, as: kind) {
                send(typed: .message($1), $0, to: client, toServer: toServer)
            }
        } catch {
            throw PageProblem("not sent: \(error)")
        }
    }
}
