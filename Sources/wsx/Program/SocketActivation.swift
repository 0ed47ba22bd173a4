import WSCore

/// Sockets that systemd, or a program like it, has opened for this one (sd_listen_fds(3)).
struct SocketActivation {
    /// The variables by which they are handed over. They are for this process alone, and not for those that it starts.
    static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

    /// The first of the sockets; the others follow.
    static let firstDescriptor: Int32 = 3

    /// Looks an environment variable up.
    let environment: (String) -> String?
    /// The number of this process.
    let processNumber: Int32

    /// The descriptors that are handed over; none where the variables are not there, or are another process's.
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

    /// The sockets, or ``Failure/badArgument(what:why:)`` when no client can be accepted on one of them.
    func sockets() throws(Failure) -> [InheritedSocket] {
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

    /// More than any unit has.
    private static let maximumCount: Int32 = 1024
}
