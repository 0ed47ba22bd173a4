import WSCore

/// Sockets opened by a service manager such as systemd (sd_listen_fds(3)).
package struct SocketActivation {
    /// The variables that pass the sockets. They apply only to this process and are not passed to its children.
    package static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

    /// The first passed descriptor; the others follow.
    static let firstDescriptor: Int32 = 3

    /// Looks up an environment variable.
    package let environment: (String) -> String?
    /// The ID of this process.
    package let processNumber: Int32

    package init(environment: @escaping (String) -> String?, processNumber: Int32) {
        self.environment = environment
        self.processNumber = processNumber
    }

    /// The passed descriptors; empty if the variables are not set or are for another process.
    func descriptors() throws(Failure) -> Range<Int32> {
        let none = Self.firstDescriptor..<Self.firstDescriptor
        guard let owner = environment("LISTEN_PID"), Int32(owner) == processNumber,
            let text = environment("LISTEN_FDS")
        else { return none }
        guard let count = Int32(text), 0...Self.maximumCount ~= count else {
            throw .badArgument(
                what: "LISTEN_FDS", why: "'\(escapingControls(text))' is not a number from 0 to \(Self.maximumCount)")
        }
        return Self.firstDescriptor..<(Self.firstDescriptor + count)
    }

    /// The passed sockets. Throws ``Failure/badArgument(what:why:)`` if one of them cannot accept clients.
    package func sockets() throws(Failure) -> [InheritedSocket] {
        var sockets: [InheritedSocket] = []
        for descriptor in try descriptors() {
            do throws(InheritedSocketError) {
                sockets.append(try InheritedSocket(descriptor: descriptor))
            } catch {
                throw .badArgument(what: "LISTEN_FDS, descriptor \(descriptor)", why: "\(error)")
            }
        }
        return sockets
    }

    /// More sockets than any unit has.
    private static let maximumCount: Int32 = 1024
}
