import Testing

@testable import Listen

@Suite struct AddressedLineTests {
    @Test(
        "A line that begins with @ and a number is for that client",
        arguments: [
            ("@3 text", 3, "text"), ("@12 /close 1000 bye", 12, "/close 1000 bye"),
            ("@1  two spaces", 1, " two spaces"),
            ("@7 ", 7, ""), ("@7", 7, ""), ("@99999999999999999999 x", .max, "x"),
        ])
    func addressed(line: String, client: Int, content: String) {
        let read = AddressedLine(Array(line.utf8))
        #expect(read.client == client)
        #expect(read.content == Array(content.utf8))
    }

    @Test(
        "Other lines go to all clients unchanged; @@ before a number becomes @",
        arguments: [
            ("text", "text"), ("", ""), ("@", "@"), ("@ 3 text", "@ 3 text"), ("@alice hi", "@alice hi"),
            ("@3text", "@3text"), ("@3\ttext", "@3\ttext"), ("a@3 text", "a@3 text"), ("@-3 text", "@-3 text"),
            ("@@3 text", "@3 text"), ("@@alice", "@@alice"), ("@@@3 text", "@@@3 text"),
        ])
    func plain(line: String, content: String) {
        let read = AddressedLine(Array(line.utf8))
        #expect(read.client == nil)
        #expect(read.content == Array(content.utf8))
    }
}
