import Testing

@testable import UserInterface

@Suite struct OutputLossTests {
    @Test(
        "A loss says what is missing, and why",
        arguments: [
            (
                OutputLoss.messages(1),
                "writing standard output: 1 received message was not written because its reader was too slow"
            ),
            (
                .messages(2, hasUnread: true),
                "writing standard output: 2 received messages were not written because its reader was too slow; "
                    + "more had arrived and was not read"
            ),
            (
                .messages(0),
                "writing standard output: the last events were not written because its reader was too slow"
            ),
            (
                .recording(path: "a\u{1b}b"),
                "recording to a\\u{1B}b: the end is missing because the pipe's reader was too slow"
            ),
            (
                .samples(path: "ff"),
                "writing samples to ff: the end is missing because the pipe's reader was too slow"
            ),
        ])
    func words(_ loss: OutputLoss, _ words: String) {
        #expect("\(loss)" == words)
    }

    @Test("The first loss is the failure of a run that has no other")
    func failure() throws {
        let diagnostics = try ReadableDiagnostics()
        let losses = [OutputLoss.messages(2), .recording(path: "x")]
        let failure = diagnostics.diagnostics.failure(after: nil, losses)
        #expect(failure?.status == .closed && failure?.message == "\(OutputLoss.messages(2))")
        #expect(diagnostics.take() == ["wsx: \(OutputLoss.recording(path: "x"))"])
        #expect(diagnostics.diagnostics.failure(after: .terminated, [.messages(2)])?.status == .terminated)
        #expect(diagnostics.take() == ["wsx: \(OutputLoss.messages(2))"])
        #expect(diagnostics.diagnostics.failure(after: nil, []) == nil)
    }
}
