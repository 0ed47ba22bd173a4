@testable import WSCore

extension FuzzTarget {
    /// A .netrc file.
    ///
    /// - It is accepted, or rejected with a message that is safe to show and names a line of the file.
    /// - The entry for a host is the host's own or the default, and the first of these with a login, if there is one.
    static let netrc = FuzzTarget(name: "netrc") { input in
        do throws(NetrcError) {
            let netrc = try Netrc(parsing: input)
            for host in netrc.entries.compactMap(\.machine) + ["other.example"] {
                guard let entry = netrc.entry(for: host) else { continue }
                let others = netrc.entries.filter { other in
                    other.machine.map { Array($0.utf8) } == entry.machine.map { Array($0.utf8) }
                }
                expect(entry.login != nil || others.allSatisfy { $0.login == nil }, "an entry without a login")
                let isOwn = entry.machine.map { $0.utf8.count == host.utf8.count } ?? true
                expect(
                    isOwn || host.hasPrefix("[") || entry.machine?.hasPrefix("[") == true, "the entry of another host")
            }
        } catch {
            expectOneSafeLine("\(error)")
            let count = input.count { $0 == UInt8(ascii: "\n") } + 1
            expect(1...count ~= error.line, "the line is outside of the file")
        }
    }
}
