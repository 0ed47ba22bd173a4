import Glibc

/// Looks up programs.
package enum Executable {
    /// The path of a program. A name that contains a slash is already a path. Other names are searched for in
    /// `directories`.
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - directories: A colon-separated list of directories, like PATH. If `nil`, `/usr/bin:/bin`.
    /// - Throws: ``IOError/accessDenied`` if the file is not executable; otherwise ``IOError/noSuchFile`` or, for a
    ///   path, another ``IOError``.
    package static func path(of name: String, in directories: String?) throws(IOError) -> String {
        guard !name.utf8.contains(UInt8(ascii: "/")) else {
            try check(name)
            return name
        }
        var failure = IOError.noSuchFile
        guard !name.isEmpty else { throw failure }
        for directory in (directories ?? "/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false) {
            // POSIX.1-2017 §8.3: an empty prefix is the current directory.
            let path = "\(directory.isEmpty ? "." : directory)/\(name)"
            do throws(IOError) {
                try check(path)
                return path
            } catch {
                if error == .accessDenied { failure = error }
            }
        }
        throw failure
    }

    /// The interpreter named in a script's first line, or `nil` if the file is not a script or not readable.
    package static func interpreter(of path: String) -> String? {
        guard let beginning = try? File.readBeginning(of: path, maximumBytes: interpreterLineBytes),
            beginning.starts(with: "#!".utf8)
        else { return nil }
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let name = beginning.dropFirst(2).drop(while: isBlank).prefix { !isBlank($0) && $0 != UInt8(ascii: "\n") }
        return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// The maximum length of the first line that Linux reads.
    private static let interpreterLineBytes = 256

    private static func check(_ path: String) throws(IOError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else { throw .accessDenied }
    }
}
