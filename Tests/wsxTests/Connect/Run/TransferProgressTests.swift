import Testing

@testable import Connect
@testable import WSCore

@Suite struct TransferProgressTests {
    @Test("Sending counts from the most bytes that were unsent")
    func sending() {
        var progress = TransferProgress()
        #expect(progress.words(unsentBytes: 1 << 20, incoming: nil) == nil)
        #expect(progress.words(unsentBytes: 4 << 20, incoming: nil) == "sending 4.0 MiB: 0 %")
        #expect(progress.words(unsentBytes: 1 << 20, incoming: nil) == "sending 4.0 MiB: 75 %")
        #expect(progress.words(unsentBytes: 0, incoming: nil) == nil)
        #expect(progress.words(unsentBytes: 100, incoming: nil) == nil)
    }

    @Test("A large incoming message is shown with its size, if it is known")
    func receiving() {
        var progress = TransferProgress()
        let small = MessageProgress(bytes: 10, totalBytes: 20)
        #expect(progress.words(unsentBytes: 0, incoming: small) == nil)
        let large = MessageProgress(bytes: 10, totalBytes: 2 << 20)
        #expect(progress.words(unsentBytes: 0, incoming: large) == "receiving 10 B of 2.0 MiB")
        let fragments = MessageProgress(bytes: 3 << 20, totalBytes: nil)
        #expect(progress.words(unsentBytes: 0, incoming: fragments) == "receiving 3.0 MiB")
    }
}
