import Formats
import UserInterface
import WSCore

/// The program of `--exec`, which is started once per client, or of `--decode exec:` and `--encode exec:`.
package struct ProgramCommand {
    /// The name and the arguments, as typed. They never contain data from a request.
    package let words: [String]
    /// The path of the executable.
    package let path: String
    /// The environment of the program.
    package let environment: [String: String]

    /// The environment variables passed to a program, if set: enough to find programs and files, and to use the user's
    /// language. Other variables may hold secrets that a client's program must not see.
    static let keptVariables = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE",
        "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
    ]

    /// Finds the program.
    /// - Parameters:
    ///   - words: The name, which must be present, and the arguments.
    ///   - option: The option that names the program, for error messages.
    ///   - variable: Returns the value of an environment variable.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the program or its interpreter is missing.
    package init(_ words: [String], option: String = "--exec", environment variable: (String) -> String?)
        throws(Failure)
    {
        self.words = words
        let name = words.first ?? ""
        do throws(IOError) {
            path = try Executable.path(of: name, in: variable("PATH"))
        } catch {
            let remedy =
                error == .accessDenied
                ? "is it executable?" : name.contains("/") ? "check the path" : "write its path, or add it to PATH"
            throw .badArgument(what: option, why: "running '\(escapingControls(name))': \(error); \(remedy)")
        }
        if let interpreter = Executable.interpreter(of: path), File.isMissing(interpreter) {
            throw .badArgument(
                what: option,
                why: "running '\(escapingControls(name))': no such interpreter: '\(escapingControls(interpreter))'; "
                    + "correct the script's first line")
        }
        var kept: [String: String] = [:]
        for name in Self.keptVariables { kept[name] = variable(name) }
        environment = kept
    }

    /// Finds the programs of codecs.
    /// - Parameters:
    ///   - option: The option with the codecs, for error messages.
    ///   - secrets: Reads environment variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package static func commands(
        of codecs: [Codec], option: String, _ secrets: Secrets
    ) throws(Failure) -> [ProgramCommand] {
        var commands: [ProgramCommand] = []
        for command in codecs.compactMap(\.program) {
            let words = command.split(separator: " ").map { String($0) }
            commands.append(
                try ProgramCommand(words, option: "\(option) exec:PROGRAM", environment: secrets.environment))
        }
        return commands
    }

    /// The program's name for the log: without its directory, and safe to print.
    package var name: String {
        let name = words.first ?? ""
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return escapingControls(name) }
        return escapingControls(String(name[name.utf8.index(after: slash)...]))
    }
}
