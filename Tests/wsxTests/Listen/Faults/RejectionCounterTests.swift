import Testing

@testable import Listen
@testable import UserInterface

@Suite struct RejectionCounterTests {
    @Test("The requested number of requests is rejected, or all, or none")
    func counts() {
        for (rejection, statuses) in [
            (Rejection(status: 503, count: 2), [503, 503, nil, nil]), (Rejection(status: 401), [401, 401, 401, 401]),
            (nil, [nil, nil, nil, nil]),
        ] as [(Rejection?, [Int?])] {
            var counter = RejectionCounter(rejection)
            #expect(statuses.map { _ in counter.next() } == statuses)
        }
    }
}
