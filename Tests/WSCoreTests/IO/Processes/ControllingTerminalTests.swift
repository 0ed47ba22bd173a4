import Glibc
import TestSupport
import Testing

@testable import WSCore

extension SignalWatcherTests {
    /// Uses a pseudo-terminal as the controlling one. Part of the signal suite: signals affect the whole process.
    @Suite struct ControllingTerminalTests {
        /// A terminal, and its other end, which types and reads the output.
        private final class PseudoTerminal: Sendable {
            let typist: Int32
            let terminal: Int32
            let path: String

            init() throws {
                var ends: (Int32, Int32) = (-1, -1)
                var name = [CChar](repeating: 0, count: 128)
                try #require(openpty(&ends.0, &ends.1, &name, nil, nil) == 0)
                (typist, terminal) = ends
                path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            }

            deinit { closeAll(typist, terminal) }

            var modes: tcflag_t {
                var found = termios()
                tcgetattr(terminal, &found)
                return found.c_lflag
            }

            func type(_ text: String) { _ = write(typist, text, text.utf8.count) }

            /// Reads output until it ends with `end`.
            func read(until end: String) -> String {
                var shown: [UInt8] = []
                while !shown.reversed().starts(with: end.utf8.reversed()) {
                    var byte: UInt8 = 0
                    guard systemRead(typist, &byte) == 1 else { break }
                    shown.append(byte)
                }
                return String(decoding: shown, as: UTF8.self)
            }
        }

        /// Asks a question and calls `act` after the prompt. Returns the answer and the output after the prompt.
        private static func answer(
            _ act: @escaping @Sendable (PseudoTerminal) -> Void
        ) async throws -> (ControllingTerminal.Answer, String) {
            let pseudo = try PseudoTerminal()
            let found = pseudo.modes
            let typing = Task.detached {
                _ = pseudo.read(until: "Password: ")
                act(pseudo)
                return pseudo.read(until: "\n")
            }
            let answer = try ControllingTerminal.readSecret(prompt: "Password: ", path: pseudo.path)
            expectEqual(pseudo.modes, found)
            return (answer, await typing.value)
        }

        @Test("a line is read byte for byte without echo, and the terminal's modes are restored")
        func line() async throws {
            let (answer, shown) = try await Self.answer { pseudo in
                expectEqual(pseudo.modes & tcflag_t(ECHO), 0)
                pseudo.type("pä ss\n")
            }
            expectEqual(answer, .line(Array("pä ss".utf8)))
            expectEqual(shown, "\r\n")
        }

        @Test("the terminal's editing keys work")
        func editing() async throws {
            try await expectEqual(Self.answer { $0.type("wrong\u{15}abX\u{7F}c\n") }.0, .line(Array("abc".utf8)))
            try await expectEqual(Self.answer { $0.type("\n") }.0, .line([]))
            // The first Ctrl-D submits the partial line. It is not the end of the input.
            try await expectEqual(Self.answer { $0.type("ab\u{4}cd\n") }.0, .line(Array("abcd".utf8)))
        }

        @Test("Ctrl-D on an empty line ends the input")
        func end() async throws {
            try await expectEqual(Self.answer { $0.type("\u{4}") }.0, .end)
        }

        @Test(
            "a signal ends the question and restores the terminal and the signal's previous action",
            arguments: [
                (SIGINT, ControllingTerminal.Answer.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated),
                (SIGQUIT, .terminated),
            ])
        func signals(number: Int32, expected: ControllingTerminal.Answer) async throws {
            // A shell without job control starts background programs with SIGINT and SIGQUIT ignored.
            let inherited = signal(number, SIG_DFL)
            defer { signal(number, inherited) }
            let before = Self.handler(of: number)
            let (answer, _) = try await Self.answer { pseudo in
                pseudo.type("half a passw")
                kill(getpid(), number)
            }
            expectEqual(answer, expected)
            expectEqual(Self.handler(of: number), before)
        }

        @Test("a signal that was ignored at startup does not end the question")
        func ignoredSignal() async throws {
            let inherited = signal(SIGINT, SIG_IGN)
            defer { signal(SIGINT, inherited) }
            let (answer, _) = try await Self.answer { pseudo in
                kill(getpid(), SIGINT)
                pseudo.type("a line\n")
            }
            expectEqual(answer, .line(Array("a line".utf8)))
        }

        private static func handler(of number: Int32) -> Int {
            let handler = signal(number, SIG_DFL)
            signal(number, handler)
            return unsafeBitCast(handler, to: Int.self)
        }

        @Test("without a terminal, the question fails")
        func noTerminal() {
            #expect(throws: IOError.noTerminal) {
                try ControllingTerminal.readSecret(prompt: "Password: ", path: "/dev/null")
            }
            #expect(throws: IOError.self) {
                try ControllingTerminal.readSecret(prompt: "Password: ", path: "/nonexistent")
            }
        }
    }
}

private func systemRead(_ descriptor: Int32, _ byte: inout UInt8) -> Int { read(descriptor, &byte, 1) }
