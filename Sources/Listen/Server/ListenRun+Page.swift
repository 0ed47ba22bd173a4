import Conversation
import Formats
import Peer
import WSCore

// What the live page sends.
extension ListenRun {
    /// Sends an item of the page like a typed one.
    func sendFromPage(
        _ item: InputItem, _ payload: [UInt8], to number: Int?, toServer: Bool
    ) throws(PageProblem) {
        guard !toServer || settings.relay != nil else { throw PageProblem("there is no server to send to") }
        let number = settings.relay == nil ? number : number ?? onlyClient
        let receivers = number.map { [broadcaster.clients[$0]].compactMap(\.self) } ?? Array(broadcaster.clients.all)
        guard !receivers.contains(where: { toServer ? $0.handler.hasFullServer : $0.isFull || $0.hasFullGate }) else {
            throw PageProblem("not sent: the \(toServer ? "server" : "client") does not read; try again later")
        }
        var problem: DeliveryProblem?
        if case .message(let kind) = item {
            do throws(CodecError) {
                problem = try (toServer ? serverEncoder : broadcaster.encoder).encode(payload.span.bytes, as: kind) {
                    send(typed: .message($1), $0, to: number, toServer: toServer)
                }
            } catch {
                throw PageProblem("not sent: \(error)")
            }
        } else {
            problem = send(typed: item, payload.span.bytes, to: number, toServer: toServer)
        }
        if let problem { throw PageProblem("not sent: \(problem)") }
    }

    private var onlyClient: Int? {
        broadcaster.clients.count == 1 ? broadcaster.clients.inOrder.first?.number : nil
    }
}
