import CLibuv

/// The CPU time used so far.
package enum ProcessorTime {
    /// The user and system CPU time of all threads of the process.
    package static var used: Duration {
        var usage = uv_rusage_t()
        guard uv_getrusage(&usage) == 0 else { return .zero }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    /// The user and system CPU time of the calling thread.
    package static var usedByThread: Duration { .nanoseconds(wsx_thread_processor_time()) }

    private static func duration(_ time: uv_timeval_t) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
