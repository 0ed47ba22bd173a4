import WSCore

extension Pager {
    /// Shows a long text in the pager and waits until the user leaves it. Keys such as Ctrl-C belong to the pager.
    ///
    /// - Returns: The exit status, or `nil` if the text was not shown: if standard output is not a terminal, if the text
    ///   fits the screen, or if the pager does not exist.
    package static func show(_ text: String, on loop: EventLoop, _ environment: (String) -> String?) -> ExitStatus? {
        guard StandardDescriptors.isTerminal(StandardDescriptors.input), environment("TERM") != "dumb",
            let size = StandardDescriptors.windowSize(of: StandardDescriptors.output),
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= size.rows,
            let command = command(environment)
        else { return nil }
        var status: ExitStatus? = .success
        var program: ExternalProgram?
        let requests = try? StopRequests(on: loop) { request in
            switch request {
            case .interrupt, .quit, .timeLimit: return
            case .terminate, .hangUp: status = request.failure.status
            }
            program?.end()
            loop.stop()
        }
        guard let requests else { return nil }
        do throws(IOError) {
            program = try ExternalProgram(
                script(for: command), on: Array(text.utf8), suffix: ".txt", screen: StandardDescriptors.output,
                environment: environment, on: loop
            ) { outcome in
                if !existed(outcome) { status = nil }
                loop.stop()
            }
        } catch {
            return nil
        }
        withExtendedLifetime(requests) { loop.run() }
        return status
    }
}
