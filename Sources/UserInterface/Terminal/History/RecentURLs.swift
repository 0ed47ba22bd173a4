import WSCore

/// The URLs that prompts connected to, newest last, for completion by shells.
///
/// Like the history, the file is private to its user and contains no URL that may carry a secret.
package struct RecentURLs {
    /// The maximum number of URLs.
    static let maximumCount = 50
    /// The maximum number of bytes to read.
    private static let maximumFileBytes = 1 << 20

    /// The path of the file, or `nil` if the user's directory is unknown.
    let path: String?

    /// Determines the path: `$XDG_STATE_HOME/wsx/urls`.
    /// - Parameter environment: Looks up an environment variable.
    package init(environment: (String) -> String?) {
        path = HistoryLocation.stateDirectory(environment).map { "\($0)/wsx/urls" }
    }

    /// The URLs, newest first. Empty if there is no file that can be read.
    package var urls: [String] {
        // Without the file, shells complete other words.
        guard let path, let bytes = try? File.readRegular(path, maximumBytes: Self.maximumFileBytes) else { return [] }
        return Self.lines(in: bytes).reversed()
    }

    /// Adds a URL without its user and password, or moves it to the end.
    /// - Parameter policy: The lines that may be written to files.
    /// - Throws: ``IOError`` if the file cannot be written.
    package func record(_ url: WebSocketURL, policy: HistoryPolicy) throws(IOError) {
        // A masked URL cannot be opened.
        let text = url.text
        guard let path, url.endpoint != .embeddedEcho, text == "\(url)", policy.allows(Array(text.utf8)) else { return }
        try File.makeDirectory(File.directory(of: path))
        guard !File.isMissing(path) else { return try File.append(Self.bytes(of: [text]), to: path) }
        try SharedFile.update(path, readingAtMost: Self.maximumFileBytes) { bytes, _ in
            let known = Self.lines(in: bytes)
            guard known.last != text else { return nil }
            return Self.bytes(of: (known.filter { $0 != text } + [text]).suffix(Self.maximumCount))
        }
    }

    private static func lines(in bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // The lines go to terminals. Earlier versions kept more secrets.
            guard line.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
            let text = String(decoding: line, as: UTF8.self)
            return WebSocketURL.containsSecret(text) ? nil : text
        }
    }

    private static func bytes(of urls: some Sequence<String>) -> [UInt8] {
        urls.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }
}
