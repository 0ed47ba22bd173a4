import Testing
import WSCore

@testable import UserInterface

@Suite struct HistoryLocationTests {
    @Test(
        "Each host has its own file, and so does each port other than the default",
        arguments: [
            ("ws://Chat.Example/room", "chat.example"), ("wss://chat.example/", "chat.example"),
            ("ws://chat.example:443/", "chat.example:443"), (":8080", "localhost:8080"),
            ("ws://[::1]:8080/", "[::1]:8080"), ("ws://[fe80::1%25eth0]/", "[fe80::1%25eth0]"),
            ("ws+unix:/run/app.sock:/chat", "unix:%2Frun%2Fapp.sock"), ("ws+unix:../x%20y", "unix:..%2Fx%20y"),
            ("echo:", "echo"),
        ])
    func names(url: String, name: String) throws {
        #expect(HistoryLocation.name(for: try WebSocketURL(parsing: url)) == name)
    }

    @Test("A long name is truncated, and differs from others with the same beginning")
    func long() throws {
        let names = try ["a", "b"].map { end in
            let url = try WebSocketURL(parsing: "ws+unix:/" + String(repeating: "x/", count: 150) + end)
            return HistoryLocation.name(for: url)
        }
        #expect(names[0] != names[1])
        #expect(names.allSatisfy { $0.utf8.count <= 200 })
    }

    @Test("The directory is XDG_STATE_HOME, or else in the home directory; relative paths are ignored")
    func directories() throws {
        let url = try WebSocketURL(parsing: "echo:")
        func path(_ variables: [String: String]) -> String? {
            HistoryLocation.path(for: url) { variables[$0] }
        }
        #expect(path(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/wsx/history/echo")
        #expect(path(["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/wsx/history/echo")
        #expect(path(["HOME": "/h"]) == "/h/.local/state/wsx/history/echo")
        #expect(path([:]) == nil)
    }
}
