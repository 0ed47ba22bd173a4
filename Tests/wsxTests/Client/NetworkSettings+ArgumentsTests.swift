import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct NetworkSettingsArgumentsTests {
    @Test("-4, -6, --resolve, and --source-ip become settings, in order")
    func settings() throws {
        var arguments = NetworkArguments()
        #expect(try NetworkSettings(arguments).family == nil)
        arguments.addressFamily = .ipv4
        arguments.resolve = ["h:80:192.0.2.1", "i:80:::1"]
        arguments.sourceIPs = ["127.0.0.1", "::1"]
        let settings = try NetworkSettings(arguments)
        #expect(settings.family == .ipv4)
        #expect(settings.overrides.count == 2)
        #expect(settings.sources.map(\.description) == ["127.0.0.1:0", "[::1]:0"])
    }

    @Test("The error for an invalid entry or address names the option and the reason")
    func errors() {
        expectMessage("--resolve 'h:80': an address is missing; write HOST:PORT:IP[,IP...]") {
            () throws(Failure) in _ = try settings { $0.resolve = ["h:80"] }
        }
        expectMessage(
            "--source-ip 'eth0': it is not an IP address; write an address of this machine, such as 192.0.2.1 or 2001:db8::1"
        ) {
            () throws(Failure) in _ = try settings { $0.sourceIPs = ["eth0"] }
        }
        expectMessage(
            "--source-ip 'fe80::1%none': this machine has no interface 'none'; list the interfaces with 'ip link'"
        ) {
            () throws(Failure) in _ = try settings { $0.sourceIPs = ["fe80::1%none"] }
        }
    }

    private func settings(_ change: (inout NetworkArguments) -> Void) throws(Failure) -> NetworkSettings {
        var arguments = NetworkArguments()
        change(&arguments)
        return try NetworkSettings(arguments)
    }
}
