import Conversation
import WSCore

/// Counts the clients that deviate from the scenario.
struct ScenarioTally {
    /// The number of clients.
    var clientCount = 0
    /// The number of clients that have deviated from the scenario.
    var failureCount = 0

    /// The failure of the run, or `nil` if no client has deviated.
    var failure: Failure? {
        failureCount > 0 ? .scenarioFailedForClients(failureCount, of: clientCount) : nil
    }
}

extension ListenRun: ClientScenario.Host {
    /// Prepares the scenario of a client, or returns `nil` if there is none.
    func makeScenario(ofClient number: Int) -> ClientScenario? {
        guard let scenario = settings.scenario else { return nil }
        scenarioTally.clientCount += 1
        return ClientScenario(scenario, client: number, of: self)
    }

    func play(_ item: InputItem, _ payload: RawSpan, to number: Int) -> Bool {
        guard let client = broadcaster.clients[number], client.takesMessages else { return false }
        broadcaster.send(item, payload, to: client)
        return true
    }

    func drop(_ number: Int) {
        broadcaster.clients[number]?.terminate()
    }

    func scenarioFailed(_ failure: ScenarioFailure, of number: Int) {
        // A client that the server itself closes cannot go on.
        guard !isEnding else { return }
        scenarioTally.failureCount += 1
        if !adopt(.scenarioFailed(failure), of: number) {
            console.error("client \(number): the scenario failed in \(failure)")
            outputs.writeEvent { $0.writeFailure(.scenarioFailed(failure), client: number) }
        }
        guard let client = broadcaster.clients[number] else { return }
        // RFC 6455 §7.4.1: 1008 is for messages that violate the endpoint's policy. 1002 would blame the client's frames.
        // The client must not learn the expected values: they may be secrets, such as those of {{env:NAME}}.
        let reason = "the scenario failed in \(failure.place)"
        broadcaster.close(client, with: CloseFrame(code: .policyViolation, reason: reason))
    }
}
