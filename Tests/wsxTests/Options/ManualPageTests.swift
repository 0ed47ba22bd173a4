import Testing

@testable import wsx

@Suite struct ManualPageTests {
    @Test("marks become bold and italic, and what roff would interpret is escaped") func roff() {
        #expect(Roff.text("see `--linger` and *N*") == #"see \fB\-\-linger\fR and \fIN\fR"#)
        #expect(Roff.text("a back\\slash, an `it's`") == #"a back\eslash, an \fBit\(aqs\fR"#)
        #expect(Roff.text(".profile") == #"\&.profile"#)
        #expect(Roff.literalLine("'x' ~ ^ `") == #"\(aqx\(aq \(ti \(ha \(ga"#)
    }

    @Test("a star inside a literal is itself") func marks() {
        #expect(MarkedText("`*` allows *all*").plain == "* allows all")
    }

    @Test("every option of a command is in its page", arguments: ManualPage.pages)
    func options(command: Command) {
        let page = ManualPage.page(.of(command))
        for option in OptionTable.options(of: command) {
            #expect(page.contains(Roff.bold("--" + option.long)), "--\(option.long)")
        }
    }

    @Test("no line begins with a request that is none", arguments: ManualPage.pages)
    func requests(command: Command) {
        let known = [
            ".TH", ".SH", ".SS", ".TP", ".IP", ".PP", ".RS", ".RE", ".EX", ".EE", ".TS", ".TE", ".br", ".\\\"", "'\\\"",
        ]
        for line in ManualPage.page(.of(command)).split(separator: "\n") where line.first == "." || line.first == "'" {
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
