import CLibuv

/// The processor time that the process has used.
public enum ProcessorTime {
    /// That of all its threads since it was started, its own and the kernel's for it.
    public static var used: Duration {
        var usage = uv_rusage_t()
        guard uv_getrusage(&usage) == 0 else { return .zero }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    private static func duration(_ time: uv_timeval_t) -> Duration {
        .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
    }
}
