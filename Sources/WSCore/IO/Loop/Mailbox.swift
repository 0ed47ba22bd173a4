import CSystem

/// Calls that other threads hand to a loop. It exists while one of them may come, and then keeps the loop running.
internal final class Mailbox: Sendable {
    private struct State {
        /// Set for each call; `nil` if the mailbox is closed.
        var event: Int32?
        var calls: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    fileprivate init(event: Int32) {
        state = Mutex(State(event: event))
    }

    /// Makes the loop call `call`. Thread-safe. Has no effect after the mailbox was closed.
    func post(_ call: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard let event = state.event else { return }
            state.calls.append(call)
            wsx_set_event(event)
        }
    }

    fileprivate func takeCalls() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state.calls.removeAll() }
            return state.calls
        }
    }

    /// After this, the event descriptor is not used any more.
    fileprivate func close() {
        state.withLock { $0 = State() }
    }
}

/// A loop's mailbox and its users.
internal struct MailboxUse {
    fileprivate let mailbox: Mailbox
    fileprivate let watch: DescriptorWatch
    /// The number of lookups.
    fileprivate(set) var lookupCount = 0
    /// Wakers use it as long as the loop exists.
    fileprivate(set) var hasWakers = false
}

extension EventLoop {
    /// Returns the mailbox for a lookup, which must call ``lookupEnded()``.
    /// - Throws: ``IOError`` if the system has no descriptor left.
    func mailboxForLookup() throws(IOError) -> Mailbox {
        let mailbox = try mailbox()
        mailboxUse?.lookupCount += 1
        return mailbox
    }

    /// Returns the mailbox for a waker. It is never closed.
    /// - Throws: ``IOError`` if the system has no descriptor left.
    func mailboxForWaker() throws(IOError) -> Mailbox {
        let mailbox = try mailbox()
        mailboxUse?.hasWakers = true
        return mailbox
    }

    private func mailbox() throws(IOError) -> Mailbox {
        if let use = mailboxUse { return use.mailbox }
        let event = try IOError.check(wsx_open_event())
        let mailbox = Mailbox(event: event)
        let watch = try DescriptorWatch(event, for: [.readable, .edgeTriggered], on: self) {
            for call in mailbox.takeCalls() { call() }
        }
        mailboxUse = MailboxUse(mailbox: mailbox, watch: watch)
        return mailbox
    }

    /// Closes the mailbox if nobody else uses it.
    func lookupEnded() {
        mailboxUse?.lookupCount -= 1
        guard let use = mailboxUse, use.lookupCount == 0, !use.hasWakers else { return }
        use.mailbox.close()
        use.watch.close()
        mailboxUse = nil
    }
}
