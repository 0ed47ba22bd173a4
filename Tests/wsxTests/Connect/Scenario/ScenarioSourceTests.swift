import Conversation
import Testing

@testable import Connect
@testable import UserInterface
@testable import WSCore

/// Runs of `connect --scenario` with the embedded echo server.
@Suite struct ScenarioSourceTests {
    /// Plays the steps, and returns the failure and the JUnit file.
    private func play(
        _ steps: String, _ change: (inout ConnectArguments) -> Void = { _ in }
    ) throws -> (failure: Failure?, junit: String, log: String) {
        let (notices, junit) = (
            try TemporaryFile(at: "/tmp/wsx-test-", contents: []), try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
        )
        defer {
            notices.remove()
            junit.remove()
        }
        var failure: Failure?
        try withFile(Array(steps.utf8)) { path in
            _ = preparation
            var arguments = ConnectArguments()
            arguments.client.url = "echo:"
            arguments.scenario.path = path
            arguments.scenario.junitPath = junit.path
            arguments.ending.timeout = .seconds(60)
            change(&arguments)
            let settings = try ConnectSettings(arguments)
            let (loop, file) = (try EventLoop(), try OutputFile(creating: notices.path))
            // Quiet: steps that pass are not written to standard output.
            let diagnostics = Diagnostics(
                color: .never, isQuiet: true, secrets: SecretRecord(),
                log: LogWriter(descriptor: file.descriptor) { _ in "" }
            ) { _ in nil }
            let run = try ConnectRun(settings, on: loop, diagnostics: diagnostics)
            failure = run.run()
            withExtendedLifetime(run) { loop.settle() }
        }
        return (failure, try Self.contents(of: junit), try Self.contents(of: notices))
    }

    private static func contents(of file: TemporaryFile) throws -> String {
        String(decoding: try File.readRegular(file.path, maximumBytes: 1 << 20), as: UTF8.self)
    }

    @Test("Every step is a case of the JUnit file")
    func passing() throws {
        let (failure, junit, log) = try play(
            #"""
            {"type":"message","direction":"out","data":"{\"id\":\"{{connection}}\"}"}
            {"type":"message","direction":"in","data":"{\"id\":\"1\"}","set":{"id":"/id"}}
            {"type":"ping","direction":"out","data":"p"}
            {"type":"pong","direction":"in"}
            {"type":"message","direction":"out","data":"again {{id}}"}
            {"type":"message","direction":"in","data":"again 1"}
            {"type":"close","direction":"out","code":1000}

            """#
        ) { $0.transcript.verbosity = 1 }
        #expect(failure == nil)
        #expect(junit.contains(#"tests="7""#) && junit.contains(#"failures="0""#))
        #expect(log.contains("again 1"))
    }

    @Test("Binary messages are decoded before they are compared")
    func codecs() throws {
        let (failure, junit, _) = try play(
            #"""
            {"type":"message","direction":"out","data":"{\"a\":1}"}
            {"type":"message","direction":"in","data":"{\"a\":1}"}

            """#
        ) {
            $0.codecs.encoders = [.messagePack]
            $0.codecs.decoders = [.messagePack]
        }
        #expect(failure == nil)
        #expect(junit.contains(#"tests="2""#))
    }

    @Test("A time limit for the run fails the step that is in progress")
    func timeLimit() throws {
        let (failure, junit, _) = try play(
            #"{"type":"message","direction":"in","data":"never"}"# + "\n"
        ) { $0.ending.timeout = .milliseconds(300) }
        guard case .scenarioFailed? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(junit.contains(#"failures="1""#))
    }
}
