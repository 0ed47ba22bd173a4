import TestSupport
import Testing

@testable import WSCore

/// Lookups with results that the tests provide for both families at chosen times.
@Suite struct HostLookupTests {
    private final class Record {
        var found: [String] = []
        var ends: [IOError?] = []
    }

    @Test("RFC 8305 §3: IPv6 addresses are reported immediately, and so are IPv4 addresses that arrive later")
    func ipv6First() throws {
        try withLookup { _, lookup, record in
            lookup.received(.success(try addresses("2001:db8::1", "2001:db8::2")), for: .ipv6)
            expectEqual(record.found, ["2001:db8::1", "2001:db8::2"])
            expectEmpty(record.ends)
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            expectEqual(record.found, ["2001:db8::1", "2001:db8::2", "192.0.2.1"])
            expectEqual(record.ends, [nil])
        }
    }

    @Test("RFC 8305 §3: IPv4 addresses wait 50 ms for IPv6, and late IPv6 addresses are still reported")
    func resolutionDelay() throws {
        try withLookup { loop, lookup, record in
            let start = loop.now
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            expectEmpty(record.found)
            loop.run { !record.found.isEmpty }
            #expect(loop.now - start >= .milliseconds(49))
            #expect(loop.now - start < .seconds(10))
            expectEqual(record.found, ["192.0.2.1"])
            expectEmpty(record.ends)
            lookup.received(.success(try addresses("2001:db8::1")), for: .ipv6)
            expectEqual(record.found, ["192.0.2.1", "2001:db8::1"])
            expectEqual(record.ends, [nil])
        }
    }

    @Test("IPv6 addresses that arrive within the delay come first and end it")
    func withinTheDelay() throws {
        try withLookup { loop, lookup, record in
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            lookup.received(.success(try addresses("2001:db8::1")), for: .ipv6)
            expectEqual(record.found, ["2001:db8::1", "192.0.2.1"])
            loop.advance(by: .milliseconds(70))
            expectEqual(record.found.count, 2)
            expectEqual(record.ends, [nil])
        }
    }

    @Test("a negative IPv6 answer ends the delay, and one family suffices")
    func noIPv6() throws {
        try withLookup { _, lookup, record in
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            lookup.received(.failure(.noAddress), for: .ipv6)
            expectEqual(record.found, ["192.0.2.1"])
            expectEqual(record.ends, [nil])
        }
        try withLookup { _, lookup, record in
            lookup.received(.failure(.canceled), for: .ipv6)
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            expectEqual(record.found, ["192.0.2.1"])
            expectEqual(record.ends, [nil])
        }
    }

    @Test("if both families fail, the more specific error is reported")
    func bothFail() throws {
        for family in [SocketAddress.Family.ipv4, .ipv6] {
            try withLookup { _, lookup, record in
                lookup.received(.failure(.noAddress), for: family == .ipv4 ? .ipv6 : .ipv4)
                expectEmpty(record.ends)
                lookup.received(.failure(.canceled), for: family)
                expectEmpty(record.found)
                expectEqual(record.ends, [.canceled])
            }
        }
    }

    @Test("a lookup for one family does not wait for the other", arguments: [SocketAddress.Family.ipv4, .ipv6])
    func oneFamily(family: SocketAddress.Family) throws {
        let host = family == .ipv4 ? "192.0.2.1" : "2001:db8::1"
        try withLookup(family: family) { _, lookup, record in
            lookup.received(.success(try addresses(host)), for: family)
            expectEqual(record.found, [host])
            expectEqual(record.ends, [nil])
        }
    }

    @Test("a canceled lookup reports nothing, including addresses already held")
    func cancel() throws {
        try withLookup { loop, lookup, record in
            lookup.received(.success(try addresses("192.0.2.1")), for: .ipv4)
            lookup.cancel()
            lookup.received(.success(try addresses("2001:db8::1")), for: .ipv6)
            loop.advance(by: .milliseconds(70))
            expectEmpty(record.found)
            expectEmpty(record.ends)
        }
    }

    @Test(
        "hosts that need no lookup are found in order, IPv6 first",
        arguments: [
            ("localhost", nil, ["::1", "127.0.0.1"]), ("localhost", .ipv4, ["127.0.0.1"]),
            ("192.0.2.1", nil, ["192.0.2.1"]), ("2001:db8::1", nil, ["2001:db8::1"]),
        ] as [(String, SocketAddress.Family?, [String])])
    func known(host: String, family: SocketAddress.Family?, expected: [String]) throws {
        try withLookup(family: family) { loop, lookup, record in
            lookup.start(host, port: 80)
            expectEmpty(record.found)
            loop.run { !record.ends.isEmpty }
            expectEqual(record.found, expected)
            expectEqual(record.ends, [nil])
        }
    }

    private func addresses(_ hosts: String...) throws -> [SocketAddress] {
        try hosts.map { try #require(SocketAddress(numeric: $0, port: 80)) }
    }

    private func withLookup(
        family: SocketAddress.Family? = nil, _ body: (EventLoop, HostLookup, Record) throws -> Void
    ) throws {
        try withLoop { loop in
            let record = Record()
            let lookup = HostLookup(network: NetworkSettings(family: family), on: loop) { addresses in
                record.found += addresses.map(\.host)
            } didEnd: { error in
                record.ends.append(error)
            }
            try body(loop, lookup, record)
            lookup.cancel()
        }
    }
}
