import Conversation
import Formats
import WSCore

/// Sends first messages, waits until the peer is ready, and answers messages automatically. This stage is between the
/// connection and the outputs, for runs with `--first-message`, `--ready`, or `--answer`.
final class ExchangeStage {
    /// The run as the stage sees it.
    protocol Host: AnyObject {
        /// Called when the peer has not become ready in time.
        func readinessTimedOut(_ failure: Failure)
        /// Called at the end of the turn in which the peer has become ready.
        func peerBecameReady()
        /// Called if a message cannot be sent, because a value that it inserts is missing.
        func exchangeFailed(_ failure: Failure)
    }

    private unowned let host: any Host
    private let loop: EventLoop
    private let outputs: ConnectOutputs
    private var exchange: AutomaticExchange
    /// The expression of `--ready`.
    private let ready: String?
    private let readinessTimeout: Duration
    private var timer: Timer?
    /// The number of connections so far.
    private var connectionCount: UInt64 = 0
    /// Whether messages may be received before the first messages have been sent.
    private var isOpening = false

    /// Creates the stage before the first connection.
    init(
        _ rules: AutomaticExchange.Rules, _ settings: ConnectSettings, outputs: ConnectOutputs, on loop: EventLoop,
        host: any Host
    ) {
        self.host = host
        self.loop = loop
        self.outputs = outputs
        ready = settings.arguments.exchange.ready
        readinessTimeout = settings.connector.timeouts.whole
        exchange = AutomaticExchange(rules, seed: .random(in: .min ... .max))
        settings.data.set(&exchange.variables)
    }

    /// Whether the peer is ready.
    var isReady: Bool { exchange.isReady }

    /// The expression that no message of the last connection matched, or `nil` if there was a match or none was needed.
    private(set) var missing: String?

    /// Begins a connection, before anything is received on it.
    func connectionWillStart() {
        connectionCount += 1
        isOpening = true
        exchange.begin(connection: connectionCount)
    }

    /// Sends the first messages of a connection. After that, the peer may already be ready.
    /// - Parameter send: Sends a text message. Returns whether it was sent.
    func connectionStarted(send: (RawSpan) -> Bool) {
        isOpening = false
        do throws(TemplateValueError) {
            try exchange.sendFirstMessages(at: WallTime.now.millisecondsSinceEpoch) { payload in
                if send(payload) { outputs.writeSent(payload, as: .text) }
            }
        } catch {
            return host.exchangeFailed(.badArgument(what: "--first-message", why: "\(error)"))
        }
        guard !exchange.isReady else { return }
        let timer = Timer(on: loop) { [unowned self] in timeOut() }
        self.timer = timer
        timer.start(after: readinessTimeout)
    }

    /// Handles the end of a connection.
    func connectionEnded() {
        timer = nil
        missing = isReady ? nil : ready
    }

    /// Handles a received message.
    /// - Parameter send: Sends a text message. Returns whether it was sent.
    /// - Returns: Whether the message is part of the exchange, and nothing else happens to it.
    func receives(_ payload: RawSpan, as kind: MessageKind, send: (RawSpan) -> Bool) -> Bool {
        let finding: AutomaticExchange.Finding
        do throws(TemplateValueError) {
            finding = try exchange.receive(payload, at: WallTime.now.millisecondsSinceEpoch) { answer in
                if send(answer) { outputs.writeAnswer(answer, to: payload, as: kind) }
            }
        } catch {
            outputs.console.error("a message was not answered (--answer): \(error)")
            return false
        }
        switch finding {
        case .none: return false
        case .answered: return true
        case .opening: break
        case .ready:
            timer = nil
            if !isOpening { loop.atEndOfTurn(self) }
        }
        outputs.show(opening: payload, as: kind)
        return true
    }

    private func timeOut() {
        host.readinessTimedOut(.notReady(ready ?? "", after: readinessTimeout))
    }
}

extension ExchangeStage: EndOfTurnWork {
    /// Continues the run, after the messages of the same read: they answer nothing that is sent now.
    func endTurn() {
        host.peerBecameReady()
    }
}
