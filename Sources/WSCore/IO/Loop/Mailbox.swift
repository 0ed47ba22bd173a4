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

/// A loop's mailbox and the number of its users.
internal struct MailboxUse {
    fileprivate let mailbox: Mailbox
    fileprivate let watch: DescriptorWatch
    fileprivate(set) var count = 1
}

extension EventLoop {
    /// Returns the loop's mailbox. Each call needs one of ``releaseMailbox()``.
    /// - Throws: ``IOError`` if the system has no descriptor left.
    func useMailbox() throws(IOError) -> Mailbox {
        if let use = mailboxUse {
            mailboxUse?.count += 1
            return use.mailbox
        }
        let event = try IOError.check(wsx_open_event())
        let mailbox = Mailbox(event: event)
        let watch = try DescriptorWatch(event, for: [.readable, .edgeTriggered], on: self) {
            for call in mailbox.takeCalls() { call() }
        }
        mailboxUse = MailboxUse(mailbox: mailbox, watch: watch)
        return mailbox
    }

    /// Closes the mailbox if nobody else uses it.
    func releaseMailbox() {
        mailboxUse?.count -= 1
        guard let use = mailboxUse, use.count == 0 else { return }
        use.mailbox.close()
        use.watch.close()
        mailboxUse = nil
    }
}
