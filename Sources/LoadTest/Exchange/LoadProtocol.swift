import Conversation
import Formats
import WSCore

/// The application protocol of a load. Each connection has its own session.
public struct LoadProtocol: Sendable {
    /// The name of the protocol.
    public let name: String
    /// Whether a session can tell before its connection is open whether it can send a line.
    internal let checksLines: Bool
    /// Creates the session of a connection with this number, from 1. The other parameter is the offset from the clock of
    /// the session to the time since 1970, in nanoseconds.
    internal let makeSession: @Sendable (_ number: UInt64, _ clockOffset: UInt64) -> any ProtocolSession

    /// Describes the protocol of a load.
    /// - Parameters:
    ///   - checksLines: Whether a session can tell before its connection is open whether it can send a line.
    ///   - makeSession: Creates the session of a connection with a number from 1. The other parameter is the offset
    ///     from the clock of the session to the time since 1970, in nanoseconds. Any thread may call it.
    public init(
        name: String, checksLines: Bool = true,
        makeSession: @escaping @Sendable (_ number: UInt64, _ clockOffset: UInt64) -> any ProtocolSession
    ) {
        self.name = name
        self.checksLines = checksLines
        self.makeSession = makeSession
    }
}

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
        let session = applicationProtocol.makeSession(1, 0)
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
}
