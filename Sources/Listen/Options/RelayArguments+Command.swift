import CommandLine
import UserInterface
import WSCore

extension ListenArguments {
    /// Checks the options of a relay that runs a command.
    /// - Parameter hasPort: Whether the relay listens on a port.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func checkCommand(hasPort: Bool) throws(Failure) {
        guard case .relay(let relay) = mode, !relay.command.isEmpty else { return }
        let problems: [(Bool, String, String)] = [
            (
                !relay.isProxy, "COMMAND",
                "it runs behind an HTTP proxy, which has no URL; omit the URL, or what follows '--'"
            ),
            (!hasPort, "[ADDRESS:]PORT '\(escapingControls(address))'", "the command needs a port; 0 picks a free one"),
            (tls.isUsed, "--tls-cert", "the command reaches the proxy on this machine, without TLS; omit it"),
            (server.servesOnce, "--once", "the relay ends with the command; omit it"),
            (format.asksForOutput, "--output", "standard output is the command's; use --record FILE"),
        ]
        for (isProblem, option, why) in problems where isProblem { throw .badArgument(what: option, why: why) }
    }
}
