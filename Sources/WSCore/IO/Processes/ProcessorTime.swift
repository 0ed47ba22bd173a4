import CSystem
import Glibc

/// The CPU time used so far.
package enum ProcessorTime {
    /// The user and system CPU time of all threads of the process.
    package static var used: Duration {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return .zero }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    /// The user and system CPU time of the calling thread.
    package static var usedByThread: Duration { .nanoseconds(wsx_thread_processor_time()) }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
