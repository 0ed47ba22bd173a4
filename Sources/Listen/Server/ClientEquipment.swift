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
    /// - Parameter needsDecoding: Whether anything besides rules looks into the client's messages.
    init?(of number: Int, in run: ListenRun, needsDecoding: Bool) {
        trace = run.outputs.makeTrace(ofClient: number)
        gate = run.faults.makeGate(ofClient: number)
        pipeline = ClientPipeline(of: number, in: run, needsDecoding: needsDecoding)
        if trace == nil, gate == nil, pipeline == nil { return nil }
    }
}
