import TestSupport
import Testing

@testable import CommandLine

@Suite struct RoffTests {
    @Test("Marks become bold and italic, and special characters of roff are escaped") func roff() {
        expectEqual(Roff.text("see `--linger` and *N*"), #"see \fB\-\-linger\fR and \fIN\fR"#)
        expectEqual(Roff.text("a back\\slash, an `it's`"), #"a back\eslash, an \fBit\(aqs\fR"#)
        expectEqual(Roff.text(".profile"), #"\&.profile"#)
        expectEqual(Roff.literalLine("'x' ~ ^ `"), #"\(aqx\(aq \(ti \(ha \(ga"#)
    }

    @Test("A star within a literal has no special meaning") func marks() {
        expectEqual(MarkedText("`*` allows *all*").plain, "* allows all")
    }
}
