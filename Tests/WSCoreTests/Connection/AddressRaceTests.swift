import Testing

@testable import WSCore

@Suite struct AddressRaceTests {
    @Test(
        "RFC 8305 §4: the first address stays first, and the families alternate while both last",
        arguments: [
            ([], []),
            (["a4"], ["a4"]),
            (["a6", "b6", "c4", "d4"], ["a6", "c4", "b6", "d4"]),
            (["a4", "b4", "c6"], ["a4", "c6", "b4"]),
            (["a4", "b6", "c6", "d6"], ["a4", "b6", "c6", "d6"]),
            (["a6", "b6", "c6", "d4"], ["a6", "d4", "b6", "c6"]),
        ] as [([String], [String])])
    func alternatingFamilies(names: [String], expected: [String]) throws {
        func address(_ name: String) throws -> SocketAddress {
            let host = name.hasSuffix("4") ? "192.0.2.\(name.utf8.first ?? 0)" : "2001:db8::\(name.prefix(1))"
            return try #require(SocketAddress(numeric: host, port: 80))
        }
        let ordered = AddressRace.alternatingFamilies(try names.map(address))
        #expect(ordered.map(\.description) == (try expected.map(address).map(\.description)))
    }

    @Test("an address that refuses is followed by the next at once")
    func refused() throws {
        try withListener { loop, listening in
            let result = try race([try unusedAddress(on: loop), listening], on: loop)
            #expect(result.duration < AddressRace.attemptDelay)
            #expect(result.winner == listening.description)
        }
    }

    @Test("RFC 8305 §5: an address that does not answer is joined by the next after a quarter of a second")
    func silent() throws {
        try withListener { loop, listening in
            try withSilentAddress { silent in
                let result = try race([silent, listening], on: loop)
                #expect(result.winner == listening.description)
                #expect(result.duration >= .milliseconds(240))
                #expect(result.duration < .seconds(2))
            }
        }
    }

    @Test("an address that cannot even be tried is followed by the next")
    func unusable() throws {
        try withListener { loop, listening in
            // Port 0 of the unspecified address of another family's documentation prefix: the system refuses it.
            let unusable = try #require(SocketAddress(numeric: "255.255.255.255", port: 1))
            #expect(try race([unusable, listening], on: loop).winner == listening.description)
        }
    }

    @Test("when no address answers, each is reported with its reason, in the order of the attempts")
    func allFail() throws {
        try withLoop { loop in
            let addresses = [try unusedAddress(on: loop), try unusedAddress(on: loop)]
            let result = try race(addresses, on: loop)
            #expect(result.winner == nil)
            #expect(result.failures == addresses.map { "\($0): connection refused" })
        }
    }

    @Test("no addresses at all are a failure without attempts")
    func none() throws {
        try withLoop { loop in
            let result = try race([], on: loop)
            #expect(result.winner == nil)
            #expect(result.failures == [])
        }
    }

    @Test("a race that is called off does not complete, and leaves nothing to wait for")
    func cancel() throws {
        try withLoop { loop in
            try withSilentAddress { silent in
                let race = AddressRace([silent, silent], on: loop) { _ in Issue.record("it completed") }
                race.start()
                loop.run(for: .milliseconds(5))
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

    private func race(_ addresses: [SocketAddress], on loop: EventLoop) throws -> RaceResult {
        var result: RaceResult?
        let start = loop.now
        let race = AddressRace(addresses, on: loop) { outcome in
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
        race.start()
        loop.run { result != nil }
        loop.runOnce()
        return try #require(result)
    }

    private func withListener(_ body: (EventLoop, SocketAddress) throws -> Void) throws {
        try withLoop { loop in
            let listener = try StreamListener(on: try #require(anyLoopbackPort()), loop: loop) { $0.close() }
            defer {
                listener.close()
                loop.runOnce()
            }
            try body(loop, try #require(listener.address))
        }
    }
}
