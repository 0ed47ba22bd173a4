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

    /// The time for which the calling thread was ready to run, but had no processor; zero if the system does not tell.
    package static var waitedByThread: Duration {
        // proc(5): time on the processor, time on a run queue in nanoseconds, and the number of time slices.
        guard let bytes = try? File.read("/proc/thread-self/schedstat", maximumBytes: 256) else { return .zero }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return numbers.count == 3 ? Int64(numbers[1]).map { .nanoseconds($0) } ?? .zero : .zero
    }

    private static func duration(_ time: timeval) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
