import Formats
import UserInterface
import WSCore

/// A configuration file of the Autobahn TestSuite, for its `fuzzingclient` or its `fuzzingserver`.
///
///     {"outdir": "reports", "servers": [{"agent": "lib", "url": "ws://127.0.0.1:9001"}], "cases": ["1.*"],
///      "exclude-cases": [], "exclude-agent-cases": {"lib": ["9.*"]}}
///
/// A `fuzzingserver` has `url` instead of `servers`: the address at which clients connect. Other members are ignored.
struct AutobahnSpecification {
    private let members: [ExactString: JSONValue]

    /// Reads a file.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ path: String) throws(Failure) {
        let bytes = try HeaderFiles.contents(of: path, for: "--spec")
        let what = "--spec \(escapingControls(path))"
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes.span.bytes)
        } catch {
            throw .badArgument(what: what, why: "\(error)")
        }
        guard case .object(let members) = value else { throw .badArgument(what: what, why: "it is not a JSON object") }
        self.members = members
    }

    /// The arguments of a run for each server, or those of the run for clients, with what the command line adds.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func runs(_ base: CheckArguments) throws(Failure) -> [CheckArguments] {
        guard base.client.url.isEmpty else {
            throw .badArgument(what: "--spec", why: "the file names what to check; leave out the URL, or the option")
        }
        var common = base
        common.specificationPath = nil
        if common.autobahnPath == nil {
            common.autobahnPath = members["outdir"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        }
        // Without cases on the command line or in the file, only those that the suite has.
        if common.selection.cases.isEmpty {
            common.selection.cases = (members["cases"]?.texts ?? ["*"]).flatMap { (glob: String) -> [String] in
                glob == "*" ? Self.sections : [glob]
            }
        }
        common.selection.excluded += members["exclude-cases"]?.texts ?? []
        guard case .array(let servers)? = members["servers"], !servers.isEmpty else {
            guard let url = members["url"]?.text else {
                throw .badArgument(what: "--spec", why: "the file has neither servers nor the url of clients")
            }
            guard !url.hasPrefix("wss:") || common.serverTLS.isUsed else {
                throw .badArgument(what: "--spec", why: "the url is wss; add --tls-cert or --tls-self-signed")
            }
            // Without the scheme, which is followed by an empty part.
            let parts = url.split(separator: "/")
            common.listenAddress = parts.dropFirst(parts.first?.last == ":" ? 1 : 0).first.map { String($0) } ?? ""
            return [common]
        }
        return try servers.map { (server) throws(Failure) in
            guard case .object(let server) = server, let url = server["url"]?.text else {
                throw .badArgument(what: "--spec", why: "a server in the file has no url")
            }
            var run = common
            run.client.url = url
            run.agent = server["agent"]?.text ?? common.agent
            if case .object(let agents)? = members["exclude-agent-cases"] {
                for (agent, cases) in agents where Glob(agent.text).matches(run.agent ?? url) {
                    run.selection.excluded += cases.texts
                }
            }
            return run
        }
    }

    private static let sections = [1, 2, 3, 4, 5, 6, 7, 9].map { "\($0)*" }
}

extension JSONValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The texts of an array, or a single one.
    fileprivate var texts: [String] {
        if case .array(let elements) = self { elements.compactMap(\.text) } else { text.map { [$0] } ?? [] }
    }
}
