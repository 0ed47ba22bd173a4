import CLibuv

/// The processor time that has been used.
public enum ProcessorTime {
    /// That of all its threads since it was started, its own and the kernel's for it.
    public static var used: Duration {
        var usage = uv_rusage_t()
        guard uv_getrusage(&usage) == 0 else { return .zero }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    /// That of the thread that asks, its own and the kernel's for it.
    public static var usedByThread: Duration { .nanoseconds(wsx_thread_processor_time()) }

    private static func duration(_ time: uv_timeval_t) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
