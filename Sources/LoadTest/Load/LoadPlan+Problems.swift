import Conversation
import Formats
import WSCore

extension LoadPlan {
    /// Finds a message that the application protocol does not send, or that has no reply.
    /// - Parameter needsReplies: Whether each message needs a reply.
    internal func protocolProblem(needsReplies: Bool) -> LoadPlanProblem? {
        guard let applicationProtocol = conversation.applicationProtocol, !messages.templates.isEmpty else {
            return nil
        }
        guard messages.kind == .text else {
            return LoadPlanProblem(
                option: "--binary", reason: "messages with --protocol are lines of text; remove one of them")
        }
        guard applicationProtocol.checksLines else { return nil }
        let session = applicationProtocol.makeSession(1, data?.firstRow, 0)
        var output = ProtocolOutput()
        session.connectionOpened(subprotocol: nil, at: 0, &output)
        var message = makeEchoMessage(rows: data?.sample, clockOffset: 0)
        let count = messages.templates.count
        // Each message of a request test twice, as a connection sends it.
        for number in 0..<(needsReplies ? 2 : 1) * count {
            message.set(EchoMessage.Stamp(number: UInt64(number), connection: 0, time: 0))
            let line = message.withBytes { $0.withUnsafeBytes { Array($0) } }
            let name = escapingControls(String(decoding: line.prefix(60), as: UTF8.self))
            let option = "--message '\(name)\(line.count > 60 ? "…" : "")'"
            output.removeAll()
            do throws(ProtocolInputError) {
                let key = try session.send(line.span.bytes, wantsReply: needsReplies, at: 0, &output)
                guard key == nil, needsReplies else { continue }
                return LoadPlanProblem(
                    option: option,
                    reason:
                        "\(applicationProtocol.name) has no reply to it, so there is no latency; use --scenario instead"
                )
            } catch {
                let occasion = number < count ? "" : "a connection sends it repeatedly, but "
                return LoadPlanProblem(option: option, reason: occasion + error.description)
            }
        }
        return nil
    }

    /// Finds a message that cannot be encoded.
    internal var codecProblem: LoadPlanProblem? {
        guard let codecs = conversation.codecs?.encoders, !codecs.isEmpty, !messages.templates.isEmpty else {
            return nil
        }
        let encoder = TextEncoder(codecs)
        var message = makeEchoMessage(rows: data?.sample, clockOffset: 0)
        for number in 0..<messages.templates.count {
            message.set(EchoMessage.Stamp(number: UInt64(number), connection: 0, time: 0))
            let text = message.withBytes { $0.withUnsafeBytes { Array($0) } }
            if let problem = encoder.problem(with: text.span.bytes) {
                return LoadPlanProblem(option: "--encode", reason: "message \(number + 1): \(problem)")
            }
        }
        return nil
    }
}
