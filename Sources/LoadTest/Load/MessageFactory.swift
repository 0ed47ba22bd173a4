import Conversation
import Formats
import WSCore

/// Makes the messages and pipelines of a thread's connections.
package struct MessageFactory {
    private let plan: LoadPlan
    /// The rows of the data file, or `nil` if there is none.
    package let rows: ConnectionRows?
    /// The rules for first messages and automatic answers, or `nil` if there are none.
    private let answerRules: AutoReply.Rules?
    /// The offset from the loop's clock to the time since 1970, in nanoseconds.
    internal let clockOffset: UInt64

    /// Compiles the rules of a plan.
    internal init(_ plan: LoadPlan, clockOffset: UInt64) {
        self.plan = plan
        self.clockOffset = clockOffset
        // Without connections before the load, each attempt has its own row, which nothing else needs.
        rows = plan.data.map { ConnectionRows($0, keepsRows: plan.mode.load.needsConnections) }
        answerRules = plan.conversation.exchange.map { AutoReply.Rules($0) }
    }

    /// The regular expressions of `--ready` and `--answer`.
    internal var patterns: [Pattern] { answerRules?.patterns ?? [] }

    /// Creates the message to send for an echo.
    internal func makeEchoMessage() -> EchoMessage { plan.makeEchoMessage(rows: rows, clockOffset: clockOffset) }

    /// Creates the pipeline of a connection. Returns `nil` if it needs none.
    /// - Parameter seed: The seed of the random values in automatic messages.
    internal func makePipeline(of number: UInt64, seed: UInt64) -> Pipeline? {
        let conversation = plan.conversation
        guard plan.hasLogin || conversation.codecs != nil else { return nil }
        let codecs = conversation.codecs ?? MessageCodecs()
        if let answerRules {
            let answers = AutoReply(answerRules, seed: seed)
            prepare(&answers.variables, of: number)
            return Pipeline(codecs, answers: answers, clockOffset: clockOffset)
        }
        let session = conversation.applicationProtocol?.makeSession(number + 1, rows?.row(of: number), clockOffset)
        return Pipeline(codecs, application: session.map { Pipeline.Application($0) }, clockOffset: clockOffset)
    }

    /// Sets the variables of a connection to the values in its row of the data file, if there is one. Other variables
    /// stay as they are.
    /// - Parameters:
    ///   - variables: The variables. The columns of the data file come first.
    ///   - number: The number of the connection, from 0.
    internal func prepare(_ variables: inout TemplateVariables, of number: UInt64) {
        if let row = rows?.row(of: number) { variables.set(row) }
    }
}
