import Conversation
import UserInterface
import WSCore

/// Changes the messages that `wsx relay` forwards. A message that cannot be changed is forwarded as it is, and reported.
final class RelayRewriting {
    private let rewriter: Rewriter
    private let diagnostics: Diagnostics
    private let isVerbose: Bool

    /// Prepares the changes.
    /// - Parameter isVerbose: Whether each change is logged.
    init(_ rewriter: Rewriter, diagnostics: Diagnostics, isVerbose: Bool) {
        self.rewriter = rewriter
        self.diagnostics = diagnostics
        self.isVerbose = isVerbose
        for pattern in rewriter.patterns { diagnostics.watch(pattern) }
    }

    /// The changes to the messages of a side of a connection, or `nil` if there are none.
    /// - Parameter path: The path of the client's request in normalized form, or `nil` if it has none.
    func concerning(_ side: RelaySide, at path: String?) -> RelayRewriting? {
        rewriter.concerning(side, at: path).map {
            RelayRewriting($0, diagnostics: diagnostics, isVerbose: isVerbose)
        }
    }

    /// The changed message, or `nil` if it stays as it is.
    /// - Parameters:
    ///   - payload: A text message.
    ///   - number: The value of `{{seq}}`.
    func rewrite(_ payload: RawSpan, number: UInt64, client: Int) -> [UInt8]? {
        let milliseconds = Int(WallTime.now.sinceEpoch / .milliseconds(1))
        let stamp = Template.Stamp(
            sequence: number, connection: UInt64(client), time: UInt64(clamping: milliseconds),
            seed: .random(in: .min ... .max))
        do throws(RewriteError) {
            guard let result = try rewriter.rewrite(payload, stamp: stamp) else { return nil }
            if isVerbose {
                diagnostics.notice(
                    "Client \(client): rewrote a message of \(payload.byteCount) B to \(result.count) B")
            }
            return result
        } catch {
            diagnostics.error("a message of client \(client) was not rewritten (--rewrite): \(error)")
            return nil
        }
    }
}
