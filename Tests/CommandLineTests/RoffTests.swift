import Testing

@testable import CommandLine

@Suite struct RoffTests {
    @Test("marks become bold and italic, and what roff would interpret is escaped") func roff() {
        #expect(Roff.text("see `--linger` and *N*") == #"see \fB\-\-linger\fR and \fIN\fR"#)
        #expect(Roff.text("a back\\slash, an `it's`") == #"a back\eslash, an \fBit\(aqs\fR"#)
        #expect(Roff.text(".profile") == #"\&.profile"#)
        #expect(Roff.literalLine("'x' ~ ^ `") == #"\(aqx\(aq \(ti \(ha \(ga"#)
    }

    @Test("a star inside a literal is itself") func marks() {
        #expect(MarkedText("`*` allows *all*").plain == "* allows all")
    }
}
