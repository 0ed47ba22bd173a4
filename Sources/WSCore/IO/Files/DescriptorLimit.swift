#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How many descriptors the process may have open.
public enum DescriptorLimit {
    #if canImport(Darwin)
        private static let resource = RLIMIT_NOFILE
    #else
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif

    /// What the process began with, and what those that it starts begin with, too: one that uses `select`, or closes every
    /// descriptor there can be, counts on it. nil: the system does not say.
    private static let inheritedLimit: rlimit? = {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        pthread_atfork(nil, nil) { DescriptorLimit.restore() }
        return limit
    }()

    /// Raises the limit as far as the system lets an ordinary process, and returns it.
    public static func raise() -> Int {
        guard inheritedLimit != nil else { return 256 }
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    private static func restore() {
        if var limit = inheritedLimit { setrlimit(resource, &limit) }
    }
}
