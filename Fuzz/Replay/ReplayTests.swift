import Foundation
import Testing

@Suite struct ReplayTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    @Test("Seeds and past findings have the properties that fuzzing checks", arguments: FuzzTarget.all)
    func replay(target: FuzzTarget) throws {
        let folders = ["Seeds", "Regressions"].map { Self.root.appending(path: "\($0)/\(target.name)") }
        let files = try folders.filter { FileManager.default.fileExists(atPath: $0.path) }.flatMap { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        }
        #expect(!files.isEmpty)
        for file in files {
            let input = Array(try Data(contentsOf: file))
            Finding.$input.withValue("\(target.name)/\(file.lastPathComponent)") { target.check(input) }
        }
    }

    @Test("A finding fails the test and does not end it")
    func finding() {
        withKnownIssue { expect(false, "a property does not hold") }
    }

    @Test("Every folder of seeds and past findings belongs to a target")
    func folders() throws {
        let names = Set(FuzzTarget.all.map(\.name))
        for folder in ["Seeds", "Regressions"] {
            let known = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: folder).path)
            #expect(Set(known).subtracting(names) == [])
        }
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    var testDescription: String { name }
}
