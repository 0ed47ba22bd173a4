// Detecting that the peer of a paused connection has gone.
extension Connection: PeerWatched {
    /// Starts or stops checking the peer's presence, depending on whether reading is paused.
    ///
    /// Only servers need this. A blocked client holds a single descriptor and has no other peers to serve.
    internal func updateWatch() {
        guard settings.role == .server else { return }
        if mustWait, !isLeaving {
            resources.deadPeerDetector.add(self)
        } else {
            resources.deadPeerDetector.remove(self)
        }
    }

    /// Ends the connection if the peer has gone and no data would be lost.
    internal func lookAfterPeer(probing isProbing: Bool) {
        let presence = isLost ? .isGone : stream.peerPresence
        if presence != .present, !hasUnreadBytes, presence == .isGone || queuedBytes == 0 {
            // Only the end of the stream is left to read, so reading need not stay paused.
            return stream.startReading()
        }
        let isStuck = handler.connectionIsStuck(self)
        switch presence {
        case .present, .hasEnded:
            // The peer may have shut down only its sending side and still read. Its FIN may also be queued behind input
            // that we do not read. If it has closed its socket, a ping provokes a reset. Do not probe if messages go to
            // others as well: they must be read before the connection ends.
            if isProbing, settings.pausesReadingWhenFull || isStuck, queuedBytes == 0 { sendPing(RawSpan()) }
        case .isGone where isStuck || pauseReasons.isSubset(of: settings.forfeitingReasons):
            end(failure: .system(.connectionReset))
        case .isGone:
            if !isLost { didFailToWrite(.system(.connectionReset)) }
        }
    }
}
