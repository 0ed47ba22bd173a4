import WSCore

/// An output file, which must not be one of the command line's input files: opening it for writing empties it.
package struct OutputPlace {
    /// The option that names the file.
    package let option: String
    /// As typed; nil: there is no output file.
    package let path: String?

    package init(option: String, path: String?) {
        self.option = option
        self.path = path
    }

    /// An input file and the option that names it.
    package typealias Source = (option: String, path: String?)

    /// Throws ``Failure/badArgument(what:why:)`` if the output file is one of the input files or standard input, and
    /// for `-`, which means standard output elsewhere.
    package func check(against sources: [Source]) throws(Failure) {
        guard path != "-" else {
            throw .badArgument(
                what: "\(option) -", why: "standard output is already in use; for a file named '-', write ./-")
        }
        guard let path, let identity = FileIdentity(path: path) else { return }
        let what = "\(option) \(escapingControls(path))"
        for (option, source) in sources {
            guard let source, FileIdentity(path: source) == identity else { continue }
            throw .badArgument(what: what, why: "\(option) reads the same file; name another file")
        }
        guard FileIdentity(descriptor: StandardDescriptors.input) != identity else {
            throw .badArgument(what: what, why: "standard input reads the same file; name another file")
        }
    }

    /// Checks the place, and creates the file, or returns `nil` without a path.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package func create(beside sources: [Source]) throws(Failure) -> OutputFile? {
        try check(against: sources)
        guard let path else { return nil }
        do throws(IOError) {
            return try OutputFile(creating: path)
        } catch {
            throw .badArgument(
                what: "\(option) \(escapingControls(path))",
                why: error == .noReader ? "no program reads from the pipe; start its reader first" : error.fileProblem)
        }
    }

    /// The files among the values of an option that accepts `@FILE`.
    package static func files(_ values: [String], of option: String) -> [Source] {
        values.filter { $0.hasPrefix("@") }.map { (option, String($0.dropFirst())) }
    }
}

/// The input files of a command line. One of them may be standard input, written as `-`.
package enum InputPlace {
    /// The path to open.
    package static func path(_ path: String) -> String { path == "-" ? "/dev/stdin" : path }

    /// Throws ``Failure/badArgument(what:why:)`` if standard input would be read twice.
    /// - Parameter isInputRead: Whether messages are read from standard input.
    package static func check(_ sources: [OutputPlace.Source], isInputRead: Bool = false) throws(Failure) {
        let readers = sources.filter { $0.path == "-" }.map(\.option)
        guard let first = readers.first else { return }
        if isInputRead {
            throw .badArgument(
                what: "\(first) -", why: "messages are read from standard input; name a file, or add --no-stdin")
        }
        guard readers.count == 1 else {
            throw .badArgument(what: "\(readers[1]) -", why: "\(first) reads standard input, too; name a file")
        }
    }
}

extension ExchangeArguments {
    /// The files with first messages.
    package var files: [OutputPlace.Source] { OutputPlace.files(firstMessages, of: "--first-message") }
}

extension ClientArguments {
    /// The input files for connections and their options.
    package var connectionFiles: [OutputPlace.Source] {
        [("--ca", tls.authorities), ("--cert", tls.certificate), ("--key", tls.key)]
            + OutputPlace.files(request.headers, of: "--header") + OutputPlace.files(request.cookies, of: "--cookie")
            + request.cookieFiles.map { ("--cookie", $0) }
            + OutputPlace.files([request.auth].compactMap(\.self), of: "--auth")
            + OutputPlace.files([request.bearer].compactMap(\.self), of: "--bearer")
            + OutputPlace.files([network.proxy].compactMap(\.self), of: "--proxy")
            + OutputPlace.files([tls.passphrase].compactMap(\.self), of: "--passphrase")
    }
}
