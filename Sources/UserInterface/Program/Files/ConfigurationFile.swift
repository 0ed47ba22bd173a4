import CommandLine
import WSCore

/// The user's configuration file: where it is, and whether it may be used.
package struct ConfigurationFile {
    /// Looks up an environment variable.
    package let environment: (String) -> String?
    /// Whether an option starts a program.
    package let startsProgram: (Configuration.Entry) -> Bool

    package init(environment: @escaping (String) -> String?, startsProgram: @escaping (Configuration.Entry) -> Bool) {
        self.environment = environment
        self.startsProgram = startsProgram
    }

    /// The largest file to read.
    private static let maximumBytes = 1 << 20

    /// Reads the file.
    ///
    /// A file that `WSX_CONFIG` names must exist. As in git, the file in the usual place may be missing or inaccessible,
    /// which happens if `HOME` belongs to another user.
    /// - Throws: ``UsageError/configuration(_:)``.
    package func read() throws(UsageError) -> Configuration {
        let named = environment("WSX_CONFIG")
        if named == "" { return Configuration(path: "", absence: "WSX_CONFIG is empty, which disables profiles") }
        guard let path = named ?? usualPath else {
            return Configuration(path: "", absence: "the home directory is unknown; set HOME or WSX_CONFIG")
        }
        let (bytes, isPrivate, isWritableByOthers): ([UInt8], Bool, Bool)
        do throws(IOError) {
            (bytes, isPrivate, isWritableByOthers) = try File.readCheckingAccess(path, maximumBytes: Self.maximumBytes)
        } catch {
            let isMissing = File.isMissing(path)
            if named == nil, isMissing { return Configuration(path: path, absence: "\(path) does not exist") }
            if named == nil, error == .accessDenied { return Configuration(path: path, absence: "\(path): \(error)") }
            let why = error == .isDirectory ? "it is a directory; name a file" : "\(error)"
            throw .configuration(
                ConfigurationError(path: path, reason: .unusable(why + (named == nil ? "" : " (WSX_CONFIG)"))))
        }
        do throws(ConfigurationError) {
            let configuration = try Configuration(
                parsing: try Self.text(of: bytes, path), path: path, home: environment("HOME"))
            if !isPrivate, let entry = configuration.firstLiteralSecret { throw Self.exposed(entry, path) }
            if isWritableByOthers, let entry = configuration.entries.first(where: startsProgram) {
                throw Self.writable(entry, path)
            }
            return configuration
        } catch {
            throw .configuration(error)
        }
    }

    /// The names of the profiles as they are typed. Empty if the file cannot be used.
    package var profileWords: [String] {
        // Completion is no place for errors; the command reports them.
        guard let configuration = try? read() else { return [] }
        return configuration.profiles.map { "@" + $0.name }
    }

    /// XDG Base Directory Specification: relative paths are ignored.
    private var usualPath: String? {
        if let path = environment("XDG_CONFIG_HOME"), path.hasPrefix("/") { return path + "/wsx/config" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/wsx/config"
    }

    private static func text(of bytes: [UInt8], _ path: String) throws(ConfigurationError) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        throw ConfigurationError(path: path, line: index.map { $0 + 1 }, reason: .unusable("it is not UTF-8 text"))
    }

    private static func exposed(_ entry: Configuration.Entry, _ path: String) -> ConfigurationError {
        let takesTemplate = [
            "url", "subprotocol", "first-message", "answer", "message", "execute", "heartbeat-message", "define",
            "wrap",
            "last-message",
        ].contains(
            entry.name)
        let remedy = takesTemplate ? "{{env:NAME}} with 'template'" : "env:NAME or @FILE"
        let words = "'\(entry.name)' contains a secret, but other users can access the file"
        return ConfigurationError(
            path: path, line: entry.line,
            reason: .unusable("\(words); run 'chmod 600 \(path)', or write \(remedy)"))
    }

    private static func writable(_ entry: Configuration.Entry, _ path: String) -> ConfigurationError {
        ConfigurationError(
            path: path, line: entry.line,
            reason: .unusable(
                "'\(entry.name)' starts a program, but other users can write the file; own it, and run 'chmod 600 \(path)'"
            ))
    }
}

extension Configuration {
    /// The first value that is itself a secret, and not the name of a file, variable, or program.
    var firstLiteralSecret: Entry? { entries.first(where: \.isLiteralSecret) }
    /// The options of all sections.
    fileprivate var entries: [Entry] { defaults + profiles.flatMap(\.entries) }
}

extension Configuration.Entry {
    /// Whether the value is a password, token, or the like.
    fileprivate var isLiteralSecret: Bool {
        guard let value, !value.isEmpty else { return false }
        switch name {
        case "url":
            // An invalid URL is reported when the profile is used.
            return WebSocketURL.containsSecret(value)
        case "header":
            // An invalid field is reported when the profile is used.
            return !value.hasPrefix("@") && SecretCommand(ofHeader: value) == nil
                && (try? HeaderField(parsing: value))?.containsSecret == true
        case "subprotocol":
            let names = value.split(separator: ",").map { String(Substring($0.utf8.trimmingBlanks())) }
            return !HeaderField.secretSubprotocols(in: names).isEmpty
        case "first-message", "heartbeat-message", "answer", "message", "execute", "define", "wrap", "last-message":
            return !value.hasPrefix("@")
                && (SecretText.assignsSecret(value.utf8) || SecretText.hasToken(value.utf8)
                    || WebSocketURL.containsSecret(value))
        case "auth", "user", "proxy-login": return !isReference(value) && value.utf8.contains(UInt8(ascii: ":"))
        case "bearer", "passphrase": return !isReference(value)
        case "cookie": return !isReference(value) && value.utf8.contains(UInt8(ascii: "="))
        case "param":
            guard let parameter = try? ProtocolParameterValue.parse(value) else { return false }
            return parameter.mayBeSecret && !isReference(parameter.value)
        case "proxy": return !isReference(value) && (try? Proxy(parsing: value))?.credentials != nil
        default: return false
        }
    }

    /// See ``Secrets``.
    private func isReference(_ value: String) -> Bool { Secrets.isReference(value) }
}
