import Foundation

/// A directory for a test: `root`, with a file beside it that nobody is to see.
struct TreeFixture {
    /// The directory that is served.
    let root: String
    private let base: String

    /// What the file beside the root holds.
    static let secret = "secret"

    /// Makes the directory, and removes it when `body` returns.
    static func with(_ body: (TreeFixture) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "wsx-tree-" + UUID().uuidString
        let fixture = TreeFixture(root: base + "/root", base: base)
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createDirectory(atPath: fixture.root, withIntermediateDirectories: true)
        try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: base + "/outside"))
        try body(fixture)
    }

    /// Makes a file, and the directories it is in.
    func file(_ path: String, _ contents: String = "", modifiedSeconds: Int? = nil) throws {
        let file = "\(root)/\(path)"
        let directory = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // Foundation writes to a file of its own and renames it; what is to be changed in place is.
        guard let handle = fopen(file, "w") else { throw CocoaError(.fileWriteUnknown) }
        _ = contents.withCString { fputs($0, handle) }
        fclose(handle)
        guard let modifiedSeconds else { return }
        let date = Date(timeIntervalSince1970: TimeInterval(modifiedSeconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
    }

    /// Makes a directory.
    func directory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/\(path)", withIntermediateDirectories: true)
    }

    /// Makes a symbolic link.
    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: target)
    }

    /// Makes a named pipe, which has whoever opens it wait.
    func pipe(_ path: String) {
        mkfifo("\(root)/\(path)", 0o600)
    }
}
