import WSCore

/// A file that is written, beside the files that the same command line reads: what is written empties it first.
struct OutputPlace {
    /// The option that names it.
    let option: String
    /// As typed; nil: nothing is written.
    let path: String?

    /// A file that is read, and the option that names it.
    typealias Source = (option: String, path: String?)

    /// Throws ``Failure/badArgument(what:why:)`` where one of the files, or standard input, would be emptied, and for `-`,
    /// which elsewhere is standard output.
    func check(against sources: [Source]) throws(Failure) {
        guard path != "-" else {
            throw .badArgument(
                what: "\(option) -", why: "standard output has something else; ./- is a file of that name")
        }
        guard let path, let identity = FileIdentity(path: path) else { return }
        let what = "\(option) \(escapingControls(path))"
        for (option, source) in sources {
            guard let source, FileIdentity(path: source) == identity else { continue }
            throw .badArgument(what: what, why: "it is the file that \(option) reads; name another")
        }
        guard FileIdentity(descriptor: StandardDescriptors.input) != identity else {
            throw .badArgument(what: what, why: "it is the file that standard input reads; name another")
        }
    }

    /// The files among the values of an option that takes `@FILE`.
    static func files(_ values: [String], of option: String) -> [Source] {
        values.filter { $0.hasPrefix("@") }.map { (option, String($0.dropFirst())) }
    }
}

extension ListenArguments {
    /// The files that are read, by the options that name them.
    var readFiles: [OutputPlace.Source] {
        let recording: String? = if case .replay(let path) = mode { path } else { nil }
        return [
            ("--replay", recording), ("--tls-cert", tls.certificate), ("--tls-key", tls.key),
            ("--client-ca", tls.clientAuthorities),
        ]
            + OutputPlace.files(server.headers, of: "--header")
            + OutputPlace.files(access.credentials, of: "--auth")
            + OutputPlace.files(access.tokens, of: "--bearer")
            + OutputPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase")
    }
}

extension ClientArguments {
    /// The files that are read for connections, by the options that name them.
    fileprivate var connectionFiles: [OutputPlace.Source] {
        [("--ca", tls.authorities), ("--cert", tls.certificate), ("--key", tls.key)]
            + OutputPlace.files(request.headers, of: "--header") + OutputPlace.files(request.cookies, of: "--cookie")
            + OutputPlace.files([request.auth].compactMap(\.self), of: "--auth")
            + OutputPlace.files([request.bearer].compactMap(\.self), of: "--bearer")
            + OutputPlace.files([network.proxy].compactMap(\.self), of: "--proxy")
            + OutputPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase")
    }
}

extension ConnectArguments {
    /// The files that are read, by the options that name them.
    var readFiles: [OutputPlace.Source] {
        let historyPath: String? = if case .file(let path) = history { path } else { nil }
        return [("--file", file), ("--history", historyPath)] + client.connectionFiles
    }
}

/// The arguments of a command that has results.
protocol ResultCommandArguments {
    var result: ResultArguments { get }
    /// The files that are read, by what names them.
    var readFiles: [OutputPlace.Source] { get }
}

extension BenchArguments: ResultCommandArguments {
    /// The files that are read, by the options that name them.
    var readFiles: [OutputPlace.Source] {
        let files = loadMessages.messages.map { message in
            if case .file(let path) = message { path } else { nil as String? }
        }
        return result.baselinePaths.map { ("--baseline", $0) } + files.map { ("--file", $0) } + client.connectionFiles
    }
}

extension MergeArguments: ResultCommandArguments {
    /// The files that are read, by what names them.
    var readFiles: [OutputPlace.Source] {
        result.baselinePaths.map { ("--baseline", $0) } + paths.map { ("this command", $0 == "-" ? nil : $0) }
    }
}
