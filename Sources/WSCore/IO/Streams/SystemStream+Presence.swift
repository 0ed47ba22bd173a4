import CLibuv

extension SystemStream {
    /// The peer's state, as far as the system knows it without reading.
    public var peerPresence: PeerPresence {
        guard !isClosed else { return .isGone }
        switch Int(wsx_peer_presence(handle)) {
        case WSX_PEER_HAS_ENDED: return .hasEnded
        case WSX_PEER_IS_GONE: return .isGone
        default: return .present
        }
    }

    /// Whether the peer has sent bytes that have not been read.
    public var hasUnreadBytes: Bool { !isClosed && wsx_unread_bytes(handle) > 0 }
}
