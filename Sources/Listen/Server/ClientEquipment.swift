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
    ///   - editor: Changes and drops its messages, or `nil` if none are.
    init?(of number: Int, in run: ListenRun, needsDecoding: Bool, editor: MessageEditor?) {
        trace = run.outputs.makeTrace(ofClient: number)
        gate = run.faults.makeGate(ofClient: number)
        pipeline = ClientPipeline(of: number, in: run, needsDecoding: needsDecoding, editor: editor)
        if trace == nil, gate == nil, pipeline == nil { return nil }
    }
}
