import Conversation
import Testing
import WSCore

@testable import Peer

@Suite struct RecorderTests {
    @Test("A recording replaces the contents of the file, and begins with its header")
    func file() throws {
        try withFile(Array("what was there before, and is longer than what comes".utf8)) { path in
            try withIdleLoop { loop in
                let recorder = try Recorder(path: path, codecs: [], without: SecretRecord(), on: loop)
                recorder.events.writeOpen(url: "ws://h/", subprotocol: nil, extensions: [], version: .http1)
                loop.runOnce()
                #expect(recorder.isDrained && !recorder.isFull)
                recorder.events.writeClose(sent: CloseFrame(code: nil))
                recorder.close()
            }
            let lines = String(decoding: try File.read(path), as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 3)
            #expect(lines.first?.hasPrefix(#"{"type":"recording","time":""#) ?? false)
            #expect(lines.last?.hasPrefix(#"{"type":"close","#) ?? false)
        }
    }

    @Test("An existing file is left alone if it must not be replaced")
    func existing() throws {
        try withFile(Array("kept".utf8)) { path in
            try withIdleLoop { loop in
                #expect(throws: IOError.fileExists) {
                    try Recorder(path: path, replacing: false, codecs: [], without: SecretRecord(), on: loop)
                }
            }
            #expect(try File.read(path) == Array("kept".utf8))
        }
    }

    @Test("An invalid path is reported at once, and a full disk only once")
    func failures() throws {
        try withIdleLoop { loop in
            #expect(throws: IOError.noSuchFile) {
                try Recorder(path: "/nowhere/at/all", codecs: [], without: SecretRecord(), on: loop)
            }
            var failures: [IOError] = []
            let recorder = try Recorder(path: "/dev/full", codecs: [], without: SecretRecord(), on: loop)
            recorder.didFail = { failures.append($0) }
            loop.runOnce()
            recorder.events.write("open") { _ in }
            loop.runOnce()
            #expect(failures.count == 1)
            #expect(recorder.isDrained)
        }
    }
}
