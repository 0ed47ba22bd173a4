import CCases

/// The cases of the program, and of a user's file.
package struct CaseSet: Sendable {
    /// The sections in their order.
    package private(set) var files: [CaseFile] = []

    /// Parses the program's own cases.
    package init() {
        while let source = wsx_cases(files.count) {
            do throws(CaseError) {
                files.append(try CaseFile(Array(String(cString: source).utf8)))
            } catch {
                preconditionFailure("a case file of the program is invalid: \(error)")
            }
        }
    }

    /// Uses a user's cases instead.
    package init(_ file: CaseFile) { files = [file] }

    package var cases: [Case] { files.flatMap(\.cases) }

    /// The control of a case that has one, as a case of its own.
    package func control(_ name: String) -> Case? {
        files.lazy.compactMap { $0.controls[name] }.first.map(Case.init(playing:))
    }
}

extension Case {
    /// A control is passed if the connection is open after its steps.
    package init(playing control: Control) {
        self.init(id: "control \(control.name)", title: "", reference: "", consequence: "")
        steps = control.steps + [.sync]
        outcomes = [Outcome(verdict: .passed, text: "any", isLate: false, events: nil, ending: .closes)]
    }

    /// A ping and its pong, which every peer answers.
    package static let ping = Case(playing: Control(name: "ping"))

    /// A message whose echo shows that the peer is an echo server, and a ping whose pong shows that the peer stays.
    /// - Parameter afterPing: Whether a ping and its pong come first, so that a greeting is complete.
    package init(sending kind: DataKind, awaitsEcho: Bool, afterPing: Bool = true) {
        var frames = Frames(opcode: kind == .binary ? Opcode.binary : Opcode.text)
        frames.payload.append(Array("wsx check".utf8))
        if kind == .fragments { frames.fragmentBytes = 4 }
        let steps: [Step] = afterPing ? [.sync, .send(frames)] : [.send(frames)]
        self.init(playing: Control(name: "\(kind)", steps: awaitsEcho ? steps + [.await(.echo)] : steps))
    }

    /// Sends a text and closes: an answer to a client that asks about cases.
    package init(answering text: String?) {
        self.init(id: "answer", title: "", reference: "", consequence: "")
        if let text {
            var frames = Frames(opcode: Opcode.text)
            frames.payload.append(Array(text.utf8))
            steps.append(.send(frames))
        }
        outcomes = [Outcome(verdict: .passed, text: "any", isLate: false, events: nil, ending: .closes)]
    }
}
