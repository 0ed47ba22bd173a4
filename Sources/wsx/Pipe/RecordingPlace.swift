import WSCore

/// Where a session is recorded, beside the files that the same command line reads: to record empties a file.
struct RecordingPlace {
    /// As typed; nil: nothing is recorded.
    let path: String?

    /// A file that an option names.
    typealias Source = (option: String, path: String?)

    /// Throws ``Failure/badArgument(what:why:)`` where the recording would empty one of the files, or standard input.
    func check(against sources: [Source]) throws(Failure) {
        guard let path, let identity = FileIdentity(path: path) else { return }
        let what = "--record \(escapingControls(path))"
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
    var readFiles: [RecordingPlace.Source] {
        let recording: String? = if case .replay(let path) = mode { path } else { nil }
        return [
            ("--replay", recording), ("--tls-cert", tls.certificate), ("--tls-key", tls.key),
            ("--client-ca", tls.clientAuthorities),
        ]
            + RecordingPlace.files(headers, of: "--header") + RecordingPlace.files(credentials, of: "--auth")
            + RecordingPlace.files(tokens, of: "--bearer")
            + RecordingPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase")
    }
}

extension ConnectArguments {
    /// The files that are read, by the options that name them.
    var readFiles: [RecordingPlace.Source] {
        let historyPath: String? = if case .file(let path) = history { path } else { nil }
        return [
            ("--file", file), ("--ca", tls.authorities), ("--cert", tls.certificate), ("--key", tls.key),
            ("--history", historyPath),
        ]
            + RecordingPlace.files(headers, of: "--header") + RecordingPlace.files(cookies, of: "--cookie")
            + RecordingPlace.files([auth].compactMap(\.self), of: "--auth")
            + RecordingPlace.files([bearer].compactMap(\.self), of: "--bearer")
            + RecordingPlace.files([proxy].compactMap(\.self), of: "--proxy")
            + RecordingPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase")
    }
}
