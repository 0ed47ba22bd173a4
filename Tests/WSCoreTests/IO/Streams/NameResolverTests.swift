import Testing

@testable import WSCore

@Suite struct NameResolverTests {
    @Test(
        "RFC 6761 §6.3: localhost and names below it resolve to both loopback addresses without a lookup",
        arguments: ["localhost", "LOCALHOST", "localhost.", "a.localhost", "x.y.LocalHost."])
    func localhost(name: String) throws {
        let addresses = try #require(NameResolver.knownAddresses(of: name, port: 80))
        #expect(addresses.map(\.description) == ["[::1]:80", "127.0.0.1:80"])
    }

    @Test("a numeric address resolves to itself", arguments: [("192.0.2.1", "192.0.2.1:7"), ("::1", "[::1]:7")])
    func numeric(host: String, description: String) throws {
        #expect(NameResolver.knownAddresses(of: host, port: 7)?.map(\.description) == [description])
    }

    @Test(
        "other names need a lookup",
        arguments: ["example.com", "localhost.example", "mylocalhost", "localhost..", ""])
    func unknown(name: String) {
        #expect(NameResolver.knownAddresses(of: name, port: 80) == nil)
    }

    @Test("a known address is reported in a later turn, never before resolve() returns")
    func later() throws {
        try withLoop { loop in
            var hasReturned = false
            var addresses: [String] = []
            let lookup = NameResolver.resolve("localhost", port: 5, on: loop) { result in
                #expect(hasReturned)
                addresses = ((try? result.get()) ?? []).map(\.description)
            }
            hasReturned = true
            loop.run { !addresses.isEmpty }
            #expect(addresses == ["[::1]:5", "127.0.0.1:5"])
            lookup.cancel()
        }
    }

    @Test("RFC 6761 §6.4: a name under .invalid does not resolve")
    func invalid() throws {
        try withLoop { loop in
            var answer: Result<[SocketAddress], IOError>?
            let lookup = NameResolver.resolve("no-such-name.invalid", port: 80, on: loop) { answer = $0 }
            loop.run(within: .seconds(30)) { answer != nil }
            #expect(throws: IOError.self) { try answer?.get() }
            lookup.cancel()
        }
    }

    @Test("an overlong name fails in a later turn")
    func tooLong() throws {
        try withLoop { loop in
            var hasReturned = false
            var answer: Result<[SocketAddress], IOError>?
            let name = String(repeating: "a", count: 5000)
            let lookup = NameResolver.resolve(name, port: 80, on: loop) { result in
                #expect(hasReturned)
                answer = result
            }
            hasReturned = true
            loop.run { answer != nil }
            #expect(throws: IOError.self) { try answer?.get() }
            lookup.cancel()
        }
    }

    @Test("a canceled lookup does not complete", arguments: ["localhost", "no-such-name.invalid"])
    func cancel(name: String) throws {
        try withLoop { loop in
            let lookup = NameResolver.resolve(name, port: 80, on: loop) { _ in
                Issue.record("the completion was called")
            }
            lookup.cancel()
            loop.settle()
        }
    }
}
