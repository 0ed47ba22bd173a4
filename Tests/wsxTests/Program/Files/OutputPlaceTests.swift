import Glibc
import LoadTest
import Testing
import WSCore

@testable import Bench
@testable import Connect
@testable import Listen
@testable import UserInterface

@Suite struct OutputPlaceTests {
    @Test("An output that would truncate an input file is rejected, whatever its name")
    func sameFile() throws {
        try withFile([]) { path in
            let (hard, soft) = (path + "-hard", path + "-soft")
            #expect(link(path, hard) == 0 && symlink(path, soft) == 0)
            defer {
                _ = unlink(hard)
                _ = unlink(soft)
            }
            for name in [path, hard, soft] {
                expectMessage("--record \(name): --replay reads the same file; name another file") {
                    () throws(Failure) in
                    try OutputPlace(option: "--record", path: name).check(against: [
                        ("--file", nil), ("--replay", path),
                    ])
                }
            }
        }
    }

    @Test("- is rejected as an output, and ./- is a file of that name")
    func standardOutput() throws {
        expectMessage("--hdr -: standard output is already in use; for a file named '-', write ./-") {
            () throws(Failure) in
            try OutputPlace(option: "--hdr", path: "-").check(against: [])
        }
        try OutputPlace(option: "--hdr", path: "./-").check(against: [])
    }

    @Test("Other files, devices, and new files can be written")
    func otherFiles() throws {
        try withFile([]) { path in
            try OutputPlace(option: "--record", path: path + "-new").check(against: [("--replay", path)])
            try OutputPlace(option: "--record", path: path).check(against: [
                ("--replay", path + "-new"), ("--file", "/dev/null"),
            ])
            try OutputPlace(option: "--record", path: "/dev/null").check(against: [("--file", "/dev/null")])
            try OutputPlace(option: "--record", path: nil).check(against: [("--replay", path)])
        }
    }

    @Test("All input files of the options are checked")
    func sources() {
        var listen = ListenArguments()
        listen.mode = .replay(path: "r")
        listen.tls.certificate = "c"
        listen.tls.key = "k"
        listen.tls.clientAuthorities = "a"
        listen.tls.passphrase = "@p"
        listen.server.headers = ["A: b", "@h"]
        listen.access.credentials = ["@u", "me:x"]
        listen.access.tokens = ["env:T", "@t"]
        #expect(listen.readFiles.compactMap(\.path) == ["r", "c", "k", "a", "h", "u", "t", "p"])
        var connect = ConnectArguments()
        connect.messages.file = "f"
        connect.history = .file("hi")
        connect.data.path = "d"
        connect.client.tls.authorities = "a"
        connect.client.request.headers = ["@h"]
        connect.client.request.auth = "@u"
        connect.client.network.proxy = "http://h"
        #expect(connect.readFiles.compactMap(\.path) == ["f", "hi", "d", "a", "h", "u"])
        var bench = BenchArguments()
        bench.loadMessages.messages = [.file("f"), .text("a"), .file("g")]
        bench.result.baselinePaths = ["b"]
        bench.data.path = "d"
        bench.client.request.cookies = ["@c"]
        bench.client.request.cookieFiles = ["jar"]
        #expect(bench.readFiles.compactMap(\.path) == ["b", "f", "g", "d", "c", "jar"])
        var merge = MergeArguments()
        merge.paths = ["x", "-", "y"]
        #expect(merge.readFiles.compactMap(\.path) == ["x", "y"])
    }
}
