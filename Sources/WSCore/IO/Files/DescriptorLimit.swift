import Glibc

/// The limit on the process's open descriptors.
package enum DescriptorLimit {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// The limit that the process started with, or `nil` if the system does not report it. Child processes get it back:
    /// a program that uses `select` or closes every possible descriptor depends on it.
    internal static let inherited: rlimit? = {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }()

    /// Raises the soft limit to the hard limit and returns it; 256 if the system does not report a limit.
    package static func raise() -> Int {
        guard inherited != nil else { return 256 }
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
