import UserInterface
import WSCore

extension NetworkSettings {
    /// Creates the network settings that the arguments request.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: NetworkArguments) throws(Failure) {
        let family: SocketAddress.Family? =
            switch arguments.addressFamily {
            case .any: nil
            case .ipv4: .ipv4
            case .ipv6: .ipv6
            }
        var overrides: [AddressOverride] = []
        for text in arguments.resolve { overrides.append(try Self.override(text)) }
        var sources: [SocketAddress] = []
        for text in arguments.sourceIPs { sources.append(try Self.source(text)) }
        self.init(family: family, overrides: overrides, sources: sources)
    }

    private static func override(_ text: String) throws(Failure) -> AddressOverride {
        do throws(AddressOverrideError) {
            return try AddressOverride(parsing: text)
        } catch {
            throw .badArgument(what: "--resolve '\(escapingControls(text))'", why: "\(error)")
        }
    }

    private static func source(_ text: String) throws(Failure) -> SocketAddress {
        // With port 0, the system picks a port for each connection.
        if let address = SocketAddress(numeric: text, port: 0) { return address }
        let shown = escapingControls(text)
        let why =
            SocketAddress.unknownZone(of: text).map {
                "this machine has no interface '\(escapingControls($0))'; list the interfaces with 'ip link'"
            } ?? "it is not an IP address; write an address of this machine, such as 192.0.2.1 or 2001:db8::1"
        throw .badArgument(what: "--source-ip '\(shown)'", why: why)
    }
}
