import CSystem
import Glibc

/// The environment of the process.
package enum ProcessEnvironment {
    /// The variables as `NAME=value`, except those with these names. Values can be any bytes.
    package static func variables(without names: Set<String>) -> [[UInt8]] {
        var variables: [[UInt8]] = []
        var next = wsx_environment()
        while let variable = next?.pointee {
            let bytes = Array(UnsafeRawBufferPointer(start: variable, count: strlen(variable)))
            let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            if !names.contains(name) { variables.append(bytes) }
            next = next?.advanced(by: 1)
        }
        return variables
    }
}
