import Glibc

/// The machine that the program runs on.
package enum Machine {
    /// The name of the host.
    package static var hostName: String { field(\.nodename) }
    /// The name of the user, or nil if the system does not tell.
    package static var userName: String? { getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } }
    /// The kernel and its version: `Linux 6.1.0`.
    package static var kernel: String { "\(field(\.sysname)) \(field(\.release))" }

    /// The processor and the number of threads it runs at the same time: `AMD EPYC 7B13, 2 threads`.
    package static var processor: String {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let threads = "\(count) thread\(count == 1 ? "" : "s")"
        return model.map { "\($0), \(threads)" } ?? "\(field(\.machine)), \(threads)"
    }

    /// The model of the first processor, or nil if the system does not tell.
    private static var model: String? {
        guard let bytes = try? File.read("/proc/cpuinfo", maximumBytes: 1 << 20) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("model name") {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return line[colon...].dropFirst().split(separator: " ").joined(separator: " ")
        }
        return nil
    }

    private static func field<Field>(_ path: KeyPath<utsname, Field>) -> String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: names[keyPath: path]) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
