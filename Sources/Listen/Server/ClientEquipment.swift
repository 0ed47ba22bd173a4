import Conversation
import UserInterface
import WSCore

/// Serves one client that has features of its own, or all clients that have none.
final class ClientEquipment {
    unowned let run: ListenRun
    /// What the mode does, or `nil` if messages are only shown.
    let service: (any ClientService)?
    /// The service if it is the server of a relay.
    let upstream: Upstream?
    /// Shows the client's frames.
    let trace: FrameTrace?
    /// Delays or drops items for the client.
    let gate: OutgoingGate?
    /// Decodes the client's messages, greets it, and answers.
    let pipeline: ClientPipeline?

    init(
        of run: ListenRun, _ service: (any ClientService)?, trace: FrameTrace? = nil, gate: OutgoingGate? = nil,
        pipeline: ClientPipeline? = nil
    ) {
        self.run = run
        self.service = service
        upstream = service as? Upstream
        self.trace = trace
        self.gate = gate
        self.pipeline = pipeline
    }

    /// Whether messages are echoed and nothing else happens to them, unless they are observed.
    var isPlainEcho: Bool { self === run.sharedEquipment && service is EchoService }

    /// The equipment of a client, with the features that the options ask for.
    static func make(
        for client: AcceptedClient, in run: ListenRun, _ service: (any ClientService)?, isObserved: Bool
    ) -> ClientEquipment {
        let needsDecoding = isObserved || service?.takesDecoded ?? false
        let rewrite = (service as? Upstream)?.rewriting(of: .client)
        let trace = run.outputs.makeTrace(ofClient: client.number)
        let gate = run.faults.makeGate(ofClient: client.number)
        let mayNeedPipeline =
            rewrite != nil || run.outputs.page?.holds != nil || run.pipelines.mayServeClients(decoding: needsDecoding)
        let pipeline =
            mayNeedPipeline
            ? makePipeline(for: client, in: run, needsDecoding: needsDecoding, rewriting: rewrite) : nil
        if trace == nil, gate == nil, pipeline == nil, service === run.sharedEquipment.service {
            return run.sharedEquipment
        }
        return ClientEquipment(of: run, service, trace: trace, gate: gate, pipeline: pipeline)
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
