import Testing
import WSCore

@testable import UserInterface

@Suite struct StopRequestsTests {
    @Test("A time limit ends the run once, and not after the object is released")
    func timeLimit() throws {
        try withIdleLoop { loop in
            var requests: [StopRequests.Request] = []
            let stop = try StopRequests(all: false, timeLimit: .milliseconds(5), on: loop) { requests.append($0) }
            loop.turn { !requests.isEmpty }
            withExtendedLifetime(stop) {}
            #expect(requests == [.timeLimit(.milliseconds(5))])
            _ = try StopRequests(all: false, timeLimit: .milliseconds(1), on: loop) { requests.append($0) }
            let end = loop.now + .milliseconds(20)
            while loop.now < end { loop.runOnce() }
            #expect(requests.count == 1)
        }
    }

    @Test("Each stop request is a failure of an unfinished run")
    func failures() {
        let statuses = [StopRequests.Request.interrupt, .terminate, .hangUp, .quit, .timeLimit(.seconds(1))].map {
            $0.failure.status
        }
        #expect(statuses == [.interrupted, .terminated, .hungUp, .quit, .timedOut])
    }
}
