#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How many descriptors the process may have open.
public enum DescriptorLimit {
    /// Raises the limit as far as the system lets an ordinary process, and returns it.
    public static func raise() -> Int {
        var limit = rlimit()
        #if canImport(Darwin)
            let resource = RLIMIT_NOFILE
        #else
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
