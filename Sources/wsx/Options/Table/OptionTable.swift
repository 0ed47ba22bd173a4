/// Every option of the program. The table is the only place that knows them.
enum OptionTable {
    /// The options in the order in which help and manual show them within a group.
    static let all: [OptionSpecification] =
        load + messages + server + programs + access + web + faults + format + ending + requests + staying + request
        + network
        + proxies + tls
        + serverTLS
        + compression + limits + results + display + prompt + general

    /// The options that may follow `command`; nil is the program without one.
    static func options(of command: Command?) -> [OptionSpecification] {
        all.filter { $0.belongs(to: command) }
    }

    /// The groups that `command` has options in, each with these.
    static func groups(of command: Command?) -> [(group: OptionGroup, options: [OptionSpecification])] {
        let options = options(of: command)
        return OptionGroup.allCases.compactMap { group in
            let members = options.filter { $0.group == group }
            return members.isEmpty ? nil : (group, members)
        }
    }

    private static let general = [
        OptionSpecification(
            "help", "h", group: .general, summary: "Show help; -h is the short form",
            manual: "Show help on standard output and exit: `-h` one line an option, `--help` everything.",
            effect: .help),
        OptionSpecification(
            "version", "V", group: .general, summary: "Show the version",
            manual: "Show the version on standard output and exit.",
            effect: .version),
    ]
}
