import Conversation
import UserInterface
import WSCore

/// Rarely used features for one client. Most clients have none, so it is an object.
final class ClientEquipment {
    /// Shows the client's frames.
    let trace: FrameTrace?
    /// Delays or drops items for the client.
    let gate: OutgoingGate?
    /// Decodes the client's messages, greets it, and answers.
    let pipeline: ClientPipeline?

    private init(trace: FrameTrace?, gate: OutgoingGate?, pipeline: ClientPipeline?) {
        self.trace = trace
        self.gate = gate
        self.pipeline = pipeline
    }

    /// The features that the options ask for, or `nil` if there are none.
    /// - Parameters:
    ///   - needsDecoding: Whether anything besides rules looks into the client's messages.
    ///   - rewrite: Changes its messages, or `nil` if nothing does.
    static func make(
        for client: AcceptedClient, in run: ListenRun, needsDecoding: Bool, rewriting rewrite: MessageEditor.Rewriting?
    ) -> ClientEquipment? {
        let trace = run.outputs.makeTrace(ofClient: client.number)
        let gate = run.faults.makeGate(ofClient: client.number)
        let mayNeedPipeline =
            rewrite != nil || run.outputs.page?.holds != nil || run.pipelines.mayServeClients(decoding: needsDecoding)
        let pipeline =
            mayNeedPipeline
            ? makePipeline(for: client, in: run, needsDecoding: needsDecoding, rewriting: rewrite) : nil
        guard trace != nil || gate != nil || pipeline != nil else { return nil }
        return ClientEquipment(trace: trace, gate: gate, pipeline: pipeline)
    }

    private static func makePipeline(
        for client: AcceptedClient, in run: ListenRun, needsDecoding: Bool, rewriting rewrite: MessageEditor.Rewriting?
    ) -> ClientPipeline? {
        let (number, broadcaster) = (client.number, run.broadcaster)
        return ClientPipeline(
            of: client, in: run, needsDecoding: needsDecoding, rewriting: rewrite,
            answering: AnsweredPeer { [unowned broadcaster] in
                broadcaster.answer(number, with: $0, as: $1)
            } pause: { [unowned broadcaster] in
                broadcaster.pauseSender(number, for: .program)
            } resume: { [unowned broadcaster] in
                broadcaster.resumeSender(number, after: .program)
            })
    }
}
