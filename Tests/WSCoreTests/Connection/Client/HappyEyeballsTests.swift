import TestSupport
import Testing

@testable import WSCore

@Suite struct HappyEyeballsTests {
    @Test(
        "RFC 8305 §4: the first address stays first, and the families alternate while both have addresses",
        arguments: [
            (["a4"], ["a4"]),
            (["a6", "b6", "c4", "d4"], ["a6", "c4", "b6", "d4"]),
            (["a4", "b4", "c6"], ["a4", "c6", "b4"]),
            (["a4", "b6", "c6", "d6"], ["a4", "b6", "c6", "d6"]),
            (["a6", "b6", "c6", "d4"], ["a6", "d4", "b6", "c6"]),
        ])
    func alternatingFamilies(names: [String], expected: [String]) throws {
        try withLoop { loop in
            let addresses = try names.map { try Self.refusing($0) }
            let result = try race(addresses, on: loop)
            let names = (result.failures ?? []).map { $0.prefix { $0 != " " }.dropLast() }
            try expectEqual(names.map(String.init), expected.map { try Self.refusing($0).description })
        }
    }

    @Test("RFC 8305 §3: addresses found later join those still waiting")
    func joining() throws {
        try withLoop { loop in
            try withSilentAddress { silent in
                var failures: [String]?
                let race = HappyEyeballs(on: loop) { result in
                    guard case .failure(.unreachable(let attempts)) = result else { return }
                    failures = attempts.map(\.address)
                }
                race.add([silent] + (try ["a4", "b4"].map(Self.refusing)))
                race.add(try ["c6", "d6"].map(Self.refusing))
                race.noMoreAddresses()
                // The attempt delay has passed, and all addresses except the first have failed.
                loop.advance(by: HappyEyeballs.attemptDelay + .milliseconds(50))
                expectNil(failures)
                race.cancel()
                loop.runOnce()
            }
        }
    }

    @Test("an address found while the first is slow starts after the rest of the delay and wins")
    func joiningLate() throws {
        try withListener { loop, listening in
            try withSilentAddress { silent in
                let start = loop.now
                var end: Duration?
                let race = HappyEyeballs(on: loop) { result in
                    end = loop.now - start
                    if case .success((let stream, let address)) = result {
                        expectEqual(address.description, listening.description)
                        stream.close()
                    }
                }
                race.add([silent])
                loop.advance(by: .milliseconds(100))
                race.add([listening])
                loop.advance { end != nil }
                loop.runOnce()
                let duration = try #require(end)
                #expect(duration >= .milliseconds(240))
                #expect(duration < .seconds(20))
            }
        }
    }

    @Test("a race with no addresses left waits for more and fails when there are none")
    func waitingForMore() throws {
        try withListener { loop, listening in
            for isRescued in [true, false] {
                try expectFastest(under: HappyEyeballs.attemptDelay) {
                    var result: Result<(SystemStream, SocketAddress), ConnectError>?
                    let race = HappyEyeballs(on: loop) { result = $0 }
                    race.add([try Self.refusing("a4")])
                    loop.settle()
                    expectNil(result)
                    let start = loop.now
                    if isRescued { race.add([listening]) }
                    race.noMoreAddresses()
                    loop.run { result != nil }
                    let duration = loop.now - start
                    switch try #require(result) {
                    case .success((let stream, _)):
                        expectTrue(isRescued)
                        stream.close()
                    case .failure: expectFalse(isRescued)
                    }
                    loop.runOnce()
                    return duration
                }
            }
        }
    }

    @Test("the first local address of a family is used, and without one the remote address is not tried")
    func sources() throws {
        try withLoop { loop in
            var peers: [String] = []
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, peer in
                peers.append(peer.socketAddress?.host ?? "")
                stream.close()
            }
            let listening = try #require(listener.address)
            func sources(_ texts: String...) -> [SocketAddress] {
                texts.compactMap { SocketAddress(numeric: $0, port: 0) }
            }
            let result = try race([listening], from: sources("::1", "127.0.0.9", "127.0.0.10"), on: loop)
            expectEqual(result.winner, listening.description)
            loop.run { !peers.isEmpty }
            expectEqual(peers, ["127.0.0.9"])
            listener.close()
            loop.runOnce()

            let unmatched = try race([listening], from: sources("::1"), on: loop)
            expectEqual(unmatched.failures, ["\(listening): there is no IPv4 source address"])
            let foreign = try race([listening], from: sources("192.0.2.77"), on: loop)
            expectEqual(
                foreign.failures,
                [
                    "\(listening): 192.0.2.77 is not an address of this machine"
                ])
        }
    }

    @Test("RFC 4007 §6: a link-local address without an interface is not tried")
    func missingZone() throws {
        try withLoop { loop in
            let address = try #require(SocketAddress(numeric: "fe80::1", port: 80))
            try expectEqual(
                race([address], on: loop).failures,
                [
                    "[fe80::1]:80: the address names no interface"
                ])
        }
    }

    @Test("an address that refuses is followed by the next immediately")
    func refused() throws {
        try withListener { loop, listening in
            try withRefusingAddress { refusing in
                // With the delay between attempts, 200 of them would take 50 s.
                let addresses = Array(repeating: refusing, count: 200) + [listening]
                let result = try race(addresses, on: loop)
                #expect(result.duration < HappyEyeballs.attemptDelay * 150)
                expectEqual(result.winner, listening.description)
            }
        }
    }

    @Test("RFC 8305 §5: if an address does not respond, the next is tried after 250 ms")
    func silent() throws {
        try withListener { loop, listening in
            try withSilentAddress { silent in
                let result = try race([silent, listening], on: loop)
                expectEqual(result.winner, listening.description)
                #expect(result.duration >= .milliseconds(240))
                #expect(result.duration < .seconds(20))
            }
        }
    }

    @Test("an address that cannot be tried is followed by the next")
    func unusable() throws {
        try withListener { loop, listening in
            // The system rejects broadcast addresses.
            let unusable = try #require(SocketAddress(numeric: "255.255.255.255", port: 1))
            try expectEqual(race([unusable, listening], on: loop).winner, listening.description)
        }
    }

    @Test("if no address responds, all errors are reported in the order of the attempts")
    func allFail() throws {
        try withLoop { loop in
            try withRefusingAddress { first in
                try withRefusingAddress { second in
                    let result = try race([first, second], on: loop)
                    expectNil(result.winner)
                    expectEqual(result.failures, [first, second].map { "\($0): connection refused" })
                }
            }
        }
    }

    @Test("a race without addresses fails without attempts")
    func none() throws {
        try withLoop { loop in
            let result = try race([], on: loop)
            expectNil(result.winner)
            expectEqual(result.failures, [])
        }
    }

    @Test("a canceled race does not complete and leaves nothing running")
    func cancel() throws {
        try withLoop { loop in
            try withSilentAddress { silent in
                let race = HappyEyeballs(on: loop) { _ in Issue.record("it completed") }
                race.add([silent, silent])
                loop.settle()
                race.cancel()
                loop.run()
            }
        }
    }

    private struct RaceResult {
        var winner: String?
        var failures: [String]?
        var duration: Duration
    }

    /// Returns a loopback address that refuses connections, by letter and family: nothing listens on the discard port.
    private static func refusing(_ name: String) throws -> SocketAddress {
        let letter = name.utf8.first ?? 0
        // There is only one IPv6 loopback address, so different ports distinguish these.
        let host = name.hasSuffix("4") ? "127.0.0.\(letter)" : "::1"
        return try #require(SocketAddress(numeric: host, port: name.hasSuffix("4") ? 9 : UInt16(letter) - 95))
    }

    private func race(
        _ addresses: [SocketAddress], from sources: [SocketAddress] = [], on loop: EventLoop
    ) throws -> RaceResult {
        var result: RaceResult?
        let start = loop.now
        let race = HappyEyeballs(on: loop, from: sources) { outcome in
            switch outcome {
            case .success((let stream, let address)):
                result = RaceResult(winner: address.description, duration: loop.now - start)
                stream.close()
            case .failure(.unreachable(let attempts)):
                result = RaceResult(
                    failures: attempts.map { "\($0.address): \($0.error)" }, duration: loop.now - start)
            case .failure(let error): Issue.record("\(error)")
            }
        }
        race.add(addresses)
        race.noMoreAddresses()
        loop.run { result != nil }
        loop.runOnce()
        return try #require(result)
    }

    private func withListener(_ body: (EventLoop, SocketAddress) throws -> Void) throws {
        try withLoop { loop in
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { stream, _ in
                stream.close()
            }
            defer {
                listener.close()
                loop.runOnce()
            }
            try body(loop, try #require(listener.address))
        }
    }
}
