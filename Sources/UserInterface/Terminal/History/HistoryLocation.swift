import Formats
import WSCore

/// The location of a prompt's history file.
package enum HistoryLocation {
    /// The file for a URL: `$XDG_STATE_HOME/wsx/history/HOST`, with the port unless it is the default. The directory
    /// may not exist yet.
    /// - Parameters:
    ///   - url: The URL of the server.
    ///   - environment: Looks up an environment variable.
    /// - Returns: Nil if the user's directory is unknown.
    package static func path(for url: WebSocketURL, environment: (String) -> String?) -> String? {
        guard let directory = stateDirectory(environment) else { return nil }
        return "\(directory)/wsx/history/\(name(for: url))"
    }

    /// The file name for a URL: `chat.example`, `localhost:8080`, `[::1]:8080`, `unix:%2Frun%2Fapp.sock`, `echo`.
    static func name(for url: WebSocketURL) -> String {
        switch url.endpoint {
        case .tcp(let host, let port):
            let shownHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            return safeName(port == (url.isSecure ? 443 : 80) ? shownHost : "\(shownHost):\(port)")
        case .unix(let path): return safeName("unix:\(path)")
        case .embeddedEcho: return "echo"
        }
    }

    /// XDG Base Directory Specification: relative paths are ignored.
    package static func stateDirectory(_ environment: (String) -> String?) -> String? {
        if let path = environment("XDG_STATE_HOME"), path.hasPrefix("/") { return path }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.local/state"
    }

    /// The maximum size of a name in bytes; file systems allow 255.
    private static let maximumNameBytes = 200

    /// The name with every character percent-encoded that is special to a file system or a terminal.
    private static func safeName(_ name: String) -> String {
        var safe = ""
        for (index, byte) in name.utf8.enumerated() {
            let isSafe =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                // Not hidden, and neither `.` nor `..`.
                case UInt8(ascii: "."): index > 0
                default: "-_:[]".utf8.contains(byte)
                }
            guard !isSafe else {
                safe.unicodeScalars.append(Unicode.Scalar(byte))
                continue
            }
            safe +=
                "%" + [byte >> 4, byte & 15].map { String(Unicode.Scalar(HexDigits.digit($0))) }.joined().uppercased()
        }
        guard safe.utf8.count > maximumNameBytes else { return safe }
        // FNV-1a distinguishes long names with the same beginning.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(safe.prefix(maximumNameBytes - 17))-\(String(hash, radix: 16))"
    }
}
