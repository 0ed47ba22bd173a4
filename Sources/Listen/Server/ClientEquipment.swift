import Conversation
import UserInterface
import WSCore

/// Rarely used features for one client.
struct ClientEquipment {
    /// Shows the client's frames.
    let trace: FrameTrace?
    /// Delays or drops items for the client.
    let gate: OutgoingGate?
    /// Decodes the client's messages, greets it, and answers.
    let pipeline: ClientPipeline?

    /// The features that the options ask for, or `nil` if there are none.
    /// - Parameters:
    ///   - needsDecoding: Whether anything besides rules looks into the client's messages.
    ///   - rewrite: Changes its messages, or `nil` if nothing does.
    init?(
        of client: AcceptedClient, in run: ListenRun, needsDecoding: Bool, rewriting rewrite: MessageEditor.Rewriting?
    ) {
        let number = client.number
        trace = run.outputs.makeTrace(ofClient: number)
        gate = run.faults.makeGate(ofClient: number)
        let broadcaster = run.broadcaster
        pipeline = ClientPipeline(
            of: client, in: run, needsDecoding: needsDecoding, rewriting: rewrite,
            answering: AnsweredPeer {
                [unowned broadcaster] in
                broadcaster.answer(number, with: $0, as: $1)
            } pause: { [unowned broadcaster] in
                broadcaster.pauseSender(number, for: .program)
            } resume: { [unowned broadcaster] in
                broadcaster.resumeSender(number, after: .program)
            })
        if trace == nil, gate == nil, pipeline == nil { return nil }
    }
}
