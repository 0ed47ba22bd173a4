// What becomes of a client that goes while nothing is read from it.
extension Connection: PeerWatched {
    /// Begins or ends to look after the peer, as it is read from or not. A server alone has to: a client whose output is
    /// stuck has but this one descriptor, and no one else to serve.
    internal func updateWatch() {
        guard settings.role == .server else { return }
        if mustWait, !isLeaving {
            resources.deadPeerDetector.add(self)
        } else {
            resources.deadPeerDetector.remove(self)
        }
    }

    /// Ends the connection when the peer has gone and nothing is lost by that; finds out whether it has.
    internal func lookAfterPeer(probing isProbing: Bool) {
        let presence = isLost ? .isGone : stream.peerPresence
        if presence != .present, !hasUnreadBytes, presence == .isGone || queuedBytes == 0 {
            // There is nothing left to be read but the end, for which nobody has to wait.
            return stream.startReading()
        }
        let isStuck = handler.connectionIsStuck(self)
        switch presence {
        case .present, .hasEnded:
            // It may have closed its side and still read, and what says that it has closed may be stuck behind what we do
            // not read. If it has closed its socket, a ping gets a reset. Where messages are for others, too, nothing is
            // to end before they are read.
            if isProbing, settings.pausesReadingWhenFull || isStuck, queuedBytes == 0 { sendPing(RawSpan()) }
        case .isGone where isStuck || pauseReasons.isSubset(of: settings.forfeitingReasons):
            end(failure: .system(.connectionReset))
        case .isGone:
            if !isLost { didFailToWrite(.system(.connectionReset)) }
        }
    }
}
