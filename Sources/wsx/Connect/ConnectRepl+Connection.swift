import WSCore

// What there is to know of the connection, and another one.
extension ConnectRepl {
    /// Connects to another server.
    func connect(to url: String) {
        let settings: ConnectSettings
        do throws(Failure) {
            settings = try run.firstSettings.leading(to: url)
        } catch {
            return run.console.error("/connect: \(error.message ?? "")")
        }
        run.reconnect(with: settings)
    }

    /// Records the session from now on; nil: no longer.
    func record(in path: String?) {
        guard let path = path.map(UserFiles.expandingHome) else {
            guard run.outputs.recorder != nil else {
                return run.console.error("/record: nothing is being recorded")
            }
            return run.stopRecording()
        }
        do throws(IOError) {
            try run.startRecording(to: path, replacing: false)
            run.console.notice("Recording in \(escapingControls(path)); /record ends it.")
        } catch {
            let hint = error == .fileExists ? "; another name will do" : ""
            run.console.error("/record: \(escapingControls(path)): \(error)\(hint)")
        }
    }

    /// Shows the heads of the opening handshake.
    func showHeaders() {
        guard !run.heads.isEmpty else { return run.console.error("/headers: there was no handshake yet") }
        for (line, direction) in run.heads { run.console.show(run.transcript.head(line, direction, isPast: true)) }
    }

    /// Shows what is known of the connection.
    func showInfo() {
        let facts = run.connectionFacts
        let width = facts.map(\.name.count).max() ?? 0
        for (name, value) in facts {
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            let indentation = "\n" + String(repeating: " ", count: width + 2)
            let label = name + String(repeating: " ", count: width - name.count + 2)
            run.console.show(run.console.palette.quiet(label) + lines.joined(separator: indentation) + "\n")
        }
    }
}
