import TestSupport
import Testing

@testable import WSCore

@Suite struct NameResolverTests {
    @Test(
        "RFC 6761 §6.3: localhost and names below it resolve to both loopback addresses without a lookup",
        arguments: ["localhost", "LOCALHOST", "localhost.", "a.localhost", "x.y.LocalHost."])
    func localhost(name: String) throws {
        let addresses = try #require(NameResolver.knownAddresses(of: name, port: 80))
        expectEqual(addresses.map(\.description), ["[::1]:80", "127.0.0.1:80"])
    }

    @Test("a numeric address resolves to itself", arguments: [("192.0.2.1", "192.0.2.1:7"), ("::1", "[::1]:7")])
    func numeric(host: String, description: String) throws {
        expectEqual(NameResolver.knownAddresses(of: host, port: 7)?.map(\.description), [description])
    }

    @Test(
        "other names need a lookup",
        arguments: ["example.com", "localhost.example", "mylocalhost", "localhost..", ""])
    func unknown(name: String) {
        expectNil(NameResolver.knownAddresses(of: name, port: 80))
    }

    @Test("a known address is reported in a later turn, never before resolve() returns")
    func later() throws {
        try withLoop { loop in
            var hasReturned = false
            var addresses: [String] = []
            let lookup = NameResolver.resolve("localhost", port: 5, on: loop) { result in
                expectTrue(hasReturned)
                addresses = ((try? result.get()) ?? []).map(\.description)
            }
            hasReturned = true
            loop.run { !addresses.isEmpty }
            expectEqual(addresses, ["[::1]:5", "127.0.0.1:5"])
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
                expectTrue(hasReturned)
                answer = result
            }
            hasReturned = true
            loop.run { answer != nil }
            #expect(throws: IOError.self) { try answer?.get() }
            lookup.cancel()
        }
    }

    @Test("a canceled lookup of a known address does not complete")
    func cancelKnown() throws {
        try withLoop { loop in
            let lookup = NameResolver.resolve("localhost", port: 80, on: loop) { _ in Issue.record("it was called") }
            lookup.cancel()
            loop.settle()
        }
    }

    @Test("a lookup that ends after it was canceled does not complete, and does not retain its resolver")
    func cancelRunning() throws {
        try withLoop { loop in
            let (gate, otherGate) = (Gate(), Gate())
            var token: Token? = Token()
            weak let held = token
            var lookup: NameResolver? = NameResolver.resolve(on: loop, by: { [token] in gate.wait(holding: token) }) {
                _ in
                Issue.record("it was called")
            }
            // It keeps the mailbox open.
            let other = NameResolver.resolve(on: loop, by: { otherGate.wait() }) { _ in }
            token = nil
            loop.run { gate.isReached }
            weak let resolver = lookup
            lookup?.cancel()
            lookup = nil
            // Otherwise, the other thread could release it.
            expectNil(resolver)
            gate.open()
            // The thread releases a lookup after it has posted the result.
            loop.run { held == nil }
            otherGate.open()
            other.cancel()
        }
    }

    @Test("a canceled lookup does not wait for a thread")
    func cancelWaiting() throws {
        try withLoop { loop in
            let gate = Gate()
            let running = (0..<4).map { _ in NameResolver.resolve(on: loop, by: { gate.wait() }) { _ in } }
            var token: Token? = Token()
            weak let held = token
            let waiting = NameResolver.resolve(on: loop, by: { [token] in gate.wait(holding: token) }) { _ in }
            token = nil
            expectNotNil(held)
            waiting.cancel()
            expectNil(held)
            gate.open()
            for lookup in running { lookup.cancel() }
        }
    }
}

/// Lookups wait here until it is open.
private final class Gate: @unchecked Sendable {
    private let monitor = Monitor()
    private var state = (isReached: false, isOpen: false)

    /// Whether a lookup has reached it.
    var isReached: Bool { monitor.locked { state.isReached } }

    func open() {
        monitor.locked {
            state.isOpen = true
            monitor.notify()
        }
    }

    func wait(holding token: Token? = nil) -> Result<[SocketAddress], IOError> {
        monitor.locked {
            state.isReached = true
            while !state.isOpen { monitor.wait() }
        }
        return .failure(.noAddress)
    }
}

/// Shows that a lookup exists.
private final class Token: Sendable {}
