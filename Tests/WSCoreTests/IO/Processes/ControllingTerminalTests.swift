import Testing

@testable import WSCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SignalWatcherTests {
    /// A pseudo-terminal stands for the process's own. Part of the suite about signals: they belong to the whole process.
    @Suite struct ControllingTerminalTests {
        /// A terminal, and the side of it that types and sees what is shown.
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

            /// Reads what is shown until it ends with a text.
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

        /// Asks, and has `act` answer once the prompt is shown; returns the answer, and what was shown after the prompt.
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
            #expect(pseudo.modes == found)
            return (answer, await typing.value)
        }

        @Test("a line is taken byte for byte, nothing of it is shown, and the terminal is given back as it was")
        func line() async throws {
            let (answer, shown) = try await Self.answer { pseudo in
                #expect(pseudo.modes & tcflag_t(ECHO) == 0)
                pseudo.type("pä ss\n")
            }
            #expect(answer == .line(Array("pä ss".utf8)))
            #expect(shown == "\r\n")
        }

        @Test("the terminal's own keys edit the line")
        func editing() async throws {
            #expect(try await Self.answer { $0.type("wrong\u{15}abX\u{7F}c\n") }.0 == .line(Array("abc".utf8)))
            #expect(try await Self.answer { $0.type("\n") }.0 == .line([]))
            // The first Ctrl-D hands over what is there, and is not the end.
            #expect(try await Self.answer { $0.type("ab\u{4}cd\n") }.0 == .line(Array("abcd".utf8)))
        }

        @Test("Ctrl-D on an empty line is the end of input")
        func end() async throws {
            #expect(try await Self.answer { $0.type("\u{4}") }.0 == .end)
        }

        @Test(
            "a signal ends the question, the terminal is given back, and the signal means again what it meant before",
            arguments: [
                (SIGINT, ControllingTerminal.Answer.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated),
                (SIGQUIT, .terminated),
            ])
        func signals(number: Int32, expected: ControllingTerminal.Answer) async throws {
            let before = Self.handler(of: number)
            let (answer, _) = try await Self.answer { pseudo in
                pseudo.type("half a passw")
                kill(getpid(), number)
            }
            #expect(answer == expected)
            #expect(Self.handler(of: number) == before)
        }

        private static func handler(of number: Int32) -> Int {
            let handler = signal(number, SIG_DFL)
            signal(number, handler)
            return unsafeBitCast(handler, to: Int.self)
        }

        @Test("where there is no terminal the question cannot be asked")
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
