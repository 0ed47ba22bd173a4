import Foundation

/// A directory for a test: `root`, and a file outside it that must not be accessible.
struct TreeFixture {
    /// The directory to serve.
    let root: String
    private let base: String

    /// The contents of the file outside the root.
    static let secret = "secret"

    /// Creates the directory and removes it after `body`.
    static func with(_ body: (TreeFixture) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "wsx-tree-" + UUID().uuidString
        let fixture = TreeFixture(root: base + "/root", base: base)
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createDirectory(atPath: fixture.root, withIntermediateDirectories: true)
        try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: base + "/outside"))
        try body(fixture)
    }

    /// Creates a file and its parent directories.
    func file(_ path: String, _ contents: String = "", modifiedSeconds: Int? = nil) throws {
        let file = "\(root)/\(path)"
        let directory = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // Write in place: Foundation would write to another file and rename it.
        guard let handle = fopen(file, "w") else { throw CocoaError(.fileWriteUnknown) }
        _ = contents.withCString { fputs($0, handle) }
        fclose(handle)
        guard let modifiedSeconds else { return }
        let date = Date(timeIntervalSince1970: TimeInterval(modifiedSeconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    /// Creates a directory.
    func directory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/\(path)", withIntermediateDirectories: true)
    }

    /// Creates a symbolic link.
    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: target)
    }

    /// Creates a named pipe, which blocks when opened.
    func pipe(_ path: String) {
        mkfifo("\(root)/\(path)", 0o600)
    }
}
