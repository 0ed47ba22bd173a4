import Conversation
import UserInterface
import WSCore

/// Rarely used features for one client.
struct ClientEquipment {
    /// Shows the client's frames.
    let trace: FrameTrace?
    /// Delays or drops items for the client.
    let gate: OutgoingGate?
    /// Greets the client and answers its messages.
    let replies: ClientReplies?

    /// The features that the options ask for, or `nil` if there are none.
    init?(of number: Int, in run: ListenRun) {
        trace = run.outputs.makeTrace(ofClient: number)
        gate = run.faults.makeGate(ofClient: number)
        replies = run.rules.map { rules in
            ClientReplies(rules, client: number, on: run.loop, diagnostics: run.diagnostics) { [unowned run] payload in
                run.broadcaster.answer(number, with: payload)
            }
        }
        if trace == nil, gate == nil, replies == nil { return nil }
    }
}
