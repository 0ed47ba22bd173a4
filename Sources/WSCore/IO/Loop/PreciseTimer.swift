import CLibuv

/// Calls a function at a given time, with nanosecond resolution. Canceled on release.
package final class PreciseTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private var source: Source

    private enum Source {
        case none
        /// A descriptor that becomes readable at the given time.
        case descriptor(Int32, DescriptorWatch)
        /// With millisecond resolution, if the process has no descriptor left.
        case timer(Timer)
    }

    /// Creates a stopped timer.
    /// - Parameters:
    ///   - loop: The loop to run on. The timer keeps it running.
    ///   - action: The function to call.
    package init(on loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        source = .none
        let descriptor = wsx_open_precise_timer()
        // Edge-triggered: the descriptor stays readable after the timer has expired.
        let watch =
            descriptor < 0
            ? nil
            : try? DescriptorWatch(descriptor, for: [.readable, .edgeTriggered], on: loop) { [unowned self] in
                // Keeps the timer alive: the action may release it.
                withExtendedLifetime(self) { $0.action() }
            }
        source = watch.map { .descriptor(descriptor, $0) } ?? .timer(Timer(on: loop, action: action))
    }

    deinit {
        if case .descriptor(_, let watch) = source { watch.close() }
    }

    /// Schedules one call at `time`, in nanoseconds of the loop's clock. A time in the past means as soon as possible,
    /// still on the loop.
    package func start(at time: UInt64) {
        switch source {
        case .descriptor(let descriptor, _): wsx_set_precise_timer(descriptor, max(1, time))
        case .timer(let timer):
            let now = loop.nowNanoseconds
            timer.start(after: .nanoseconds(Int64(clamping: time > now ? time - now : 0)))
        case .none: break
        }
    }

    /// Stops the timer. If it has already expired in this turn of the loop, the action may still be called once.
    package func stop() {
        switch source {
        case .descriptor(let descriptor, _): wsx_set_precise_timer(descriptor, 0)
        case .timer(let timer): timer.stop()
        case .none: break
        }
    }
}
