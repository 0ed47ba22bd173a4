import WSCore

/// The program of `--exec`, as it is started for each client.
struct ProgramCommand {
    /// Its name and its arguments, as they were typed: nothing of a request is ever among them.
    let words: [String]
    /// Where it is.
    let path: String
    /// What it keeps of our environment.
    let environment: [String: String]

    /// The variables of our environment that a program keeps, where they are set: what it takes to find other programs and
    /// files, and to speak the user's language. All else may hold what is none of a client's business.
    static let keptVariables = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE",
        "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
    ]

    /// Looks the program up, or throws ``Failure/badArgument(what:why:)``.
    /// - Parameters:
    ///   - words: Its name and its arguments; there is a name.
    ///   - variable: Looks an environment variable up.
    init(_ words: [String], environment variable: (String) -> String?) throws(Failure) {
        self.words = words
        let name = words.first ?? ""
        do throws(IOError) {
            path = try Executable.path(of: name, in: variable("PATH"))
        } catch {
            let remedy = error == .accessDenied ? "is it executable?" : "write its path, or have it in PATH"
            throw .badArgument(what: "--exec", why: "running '\(escapingControls(name))': \(error); \(remedy)")
        }
        if let interpreter = Executable.interpreter(of: path), File.isMissing(interpreter) {
            throw .badArgument(
                what: "--exec",
                why: "running '\(escapingControls(name))': the interpreter of the script is missing: "
                    + "'\(escapingControls(interpreter))'; mend its first line")
        }
        var kept: [String: String] = [:]
        for name in Self.keptVariables { kept[name] = variable(name) }
        environment = kept
    }

    /// What the log calls it: its name without the path, safe to print.
    var name: String {
        let name = words.first ?? ""
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return escapingControls(name) }
        return escapingControls(String(name[name.utf8.index(after: slash)...]))
    }
}
