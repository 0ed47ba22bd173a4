import Conversation
import UserInterface
import WSCore

/// Changes the messages that `wsx relay` forwards. A message that cannot be changed is forwarded as it is, and reported.
final class RelayRewriting {
    private let rewriter: Rewriter
    private let side: RelaySide?
    private let diagnostics: Diagnostics
    private let isVerbose: Bool

    /// Prepares the changes.
    /// - Parameters:
    ///   - side: The side whose messages are changed, or `nil` for both.
    ///   - isVerbose: Whether each change is logged.
    init(_ rewriter: Rewriter, from side: RelaySide?, diagnostics: Diagnostics, isVerbose: Bool) {
        self.rewriter = rewriter
        self.side = side
        self.diagnostics = diagnostics
        self.isVerbose = isVerbose
        for pattern in rewriter.patterns { diagnostics.watch(pattern) }
    }

    /// Whether messages of a side may change.
    func concerns(_ side: RelaySide) -> Bool { self.side == nil || self.side == side }

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
