/// What a peer must not send.
package struct Violation: Error, Sendable {
    /// Without any text of the peer.
    package let reason: String
    /// The place in an RFC.
    package let reference: String

    init(_ reason: String, _ reference: String) {
        self.reason = reason
        self.reference = reference
    }
}
