import CSystem

/// The readiness notifications of one loop: an epoll instance (epoll(7)), and a descriptor for the time.
///
/// The timeout of epoll_wait would be up to 0.1 % late, which is too late to send messages at a fixed rate.
internal struct Poller: ~Copyable {
    /// The maximum number of events per turn. Further events follow in the next turn.
    ///
    /// What the kernel and the program know of so many connections nearly fits in the processor's cache. With 512, a message
    /// on 10,000 connections took 5 to 8 % more processor time than with 8 to 32.
    static let capacity: Int32 = 64

    private let descriptor: Int32
    private let alarm: Int32
    /// The time of the alarm in nanoseconds of the system's monotonic clock, or `nil` if it is off.
    private var alarmTime: UInt64?
    private let pending: UnsafeMutablePointer<epoll_event>
    /// The owners of descriptors that were closed in this turn. Pending events may refer to them.
    private var kept: [PolledDescriptor] = []

    /// Opens the descriptors.
    /// - Throws: ``IOError`` if the system has no descriptor or memory left.
    init() throws(IOError) {
        let descriptor = try IOError.check(wsx_open_poller())
        let alarm = wsx_open_alarm()
        // Edge-triggered: the descriptor stays readable after the alarm has expired.
        let result =
            alarm < 0
            ? alarm : wsx_poll_descriptor(descriptor, EPOLL_CTL_ADD, alarm, EPOLLIN.rawValue | EPOLLET.rawValue, nil)
        guard result >= 0 else {
            for opened in [alarm, descriptor] where opened >= 0 { Descriptor.closeDescriptor(opened) }
            throw IOError(code: result)
        }
        self.descriptor = descriptor
        self.alarm = alarm
        pending = .allocate(capacity: Int(Self.capacity))
    }

    deinit {
        Descriptor.closeDescriptor(alarm)
        Descriptor.closeDescriptor(descriptor)
        pending.deallocate()
    }

    /// Makes ``wait(milliseconds:)`` return at `time`, in nanoseconds of the system's monotonic clock, or earlier.
    mutating func setAlarm(at time: UInt64) {
        if let alarmTime, alarmTime <= time { return }
        alarmTime = time
        wsx_set_alarm(alarm, max(1, time))
    }

    /// The last wait has returned the event of the alarm.
    mutating func alarmExpired() {
        alarmTime = nil
    }

    /// Starts polling a descriptor.
    /// - Parameter target: Receives the events, unretained.
    /// - Throws: ``IOError`` if the descriptor cannot be polled, or the system has no memory left.
    borrowing func add(
        _ descriptor: Int32, for events: PollEvents, target: PolledDescriptor
    ) throws(IOError) {
        try IOError.check(control(EPOLL_CTL_ADD, descriptor, events, target))
    }

    /// Changes the target of a polled descriptor. Edge-triggered events that it is ready for are reported again.
    borrowing func change(_ descriptor: Int32, to events: PollEvents, target: PolledDescriptor) {
        _ = control(EPOLL_CTL_MOD, descriptor, events, target)
    }

    /// Stops polling a descriptor. Closing it is not enough: a process that shares the open file keeps it registered.
    borrowing func remove(_ descriptor: Int32) {
        _ = control(EPOLL_CTL_DEL, descriptor, [], nil)
    }

    /// Keeps the owner of a removed descriptor for the rest of the turn.
    mutating func keep(_ owner: PolledDescriptor) {
        kept.append(owner)
    }

    /// Moves the kept owners into an empty array, at the end of a turn. Returns whether there are any.
    mutating func moveKept(to released: inout [PolledDescriptor]) -> Bool {
        guard !kept.isEmpty else { return false }
        swap(&kept, &released)
        return true
    }

    /// Waits for events or the alarm, for at most a number of milliseconds, or without a limit if the number is negative.
    /// - Returns: The number of events.
    borrowing func wait(milliseconds: Int32) -> Int32 {
        wsx_wait_for_events(descriptor, pending, Self.capacity, milliseconds)
    }

    /// The target of an event of the last ``wait(milliseconds:)``, or `nil` for the alarm.
    borrowing func target(of index: Int32) -> Unmanaged<PolledDescriptor>? {
        wsx_event_target(pending, index).map { .fromOpaque($0) }
    }

    /// The kinds of an event of the last ``wait(milliseconds:)``.
    borrowing func events(of index: Int32) -> PollEvents {
        PollEvents(rawValue: wsx_event_mask(pending, index))
    }

    private borrowing func control(
        _ operation: Int32, _ descriptor: Int32, _ events: PollEvents, _ target: PolledDescriptor?
    ) -> Int32 {
        wsx_poll_descriptor(
            self.descriptor, operation, descriptor, events.rawValue,
            target.map { Unmanaged.passUnretained($0).toOpaque() })
    }
}

/// The events of a polled descriptor. Errors and hang-ups are always reported.
internal struct PollEvents: OptionSet {
    let rawValue: UInt32

    /// Data or the end of the file can be read.
    static let readable = PollEvents(rawValue: EPOLLIN.rawValue)
    /// Data can be written.
    static let writable = PollEvents(rawValue: EPOLLOUT.rawValue)
    /// A socket's peer has ended its side. Its last data may not have been read yet.
    static let peerEnded = PollEvents(rawValue: EPOLLRDHUP.rawValue)
    /// The descriptor has failed, or both sides have ended.
    static let failed = PollEvents(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    /// A socket's peer has sent urgent data.
    static let urgent = PollEvents(rawValue: EPOLLPRI.rawValue)
    // Named combinations: in debug builds, a literal would allocate for each event.
    static let endingsOrUrgent: PollEvents = [.peerEnded, .failed, .urgent]
    static let readableOrEndings: PollEvents = [.readable, .peerEnded, .failed]
    static let writableOrFailed: PollEvents = [.writable, .failed]
    /// Reports changes only. Otherwise, an event is reported in each turn while its state lasts.
    static let edgeTriggered = PollEvents(rawValue: EPOLLET.rawValue)
}

/// The owner of a descriptor that a loop polls. The loop does not retain it, so it must stop polling before its release.
package class PolledDescriptor {
    internal init() {}

    /// The descriptor is ready.
    internal func becameReady(for events: PollEvents) {}
    /// Continues work in the turn after a call of ``EventLoop/continueNextTurn(_:)``.
    internal func continueWork() {}
}

/// Calls a function whenever a descriptor is ready.
internal final class DescriptorWatch: PolledDescriptor {
    private let loop: EventLoop
    private let descriptor: Int32
    private let keepsLoopAlive: Bool
    private var action: (() -> Void)?

    /// Starts watching a descriptor and takes ownership of it. The caller must call ``close()`` once.
    /// - Throws: ``IOError`` if the descriptor cannot be polled. It is then closed.
    init(
        _ descriptor: Int32, for events: PollEvents, on loop: EventLoop, keepsLoopAlive: Bool = true,
        action: @escaping () -> Void
    ) throws(IOError) {
        self.loop = loop
        self.descriptor = descriptor
        self.keepsLoopAlive = keepsLoopAlive
        self.action = action
        super.init()
        do throws(IOError) {
            try loop.startPolling(descriptor, for: events, target: self)
        } catch {
            Descriptor.closeDescriptor(descriptor)
            throw error
        }
        if keepsLoopAlive { loop.activeCount += 1 }
    }

    override func becameReady(for events: PollEvents) {
        action?()
    }

    /// Stops watching and closes the descriptor.
    func close() {
        action = nil
        if keepsLoopAlive { loop.activeCount -= 1 }
        loop.stopPolling(descriptor, self)
        Descriptor.closeDescriptor(descriptor)
    }
}
