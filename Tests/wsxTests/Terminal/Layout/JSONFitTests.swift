import Formats
import Testing
import WSCore

@testable import UserInterface

@Suite struct JSONFitTests {
    @Test("JSON that fits is one line, without the whitespace between its tokens")
    func oneLine() throws {
        #expect(
            try lines(#"{ "a" : 1.0,  "b":[true , null,{}] , "c": "x y" }"#, columns: 50) == [
                #"{"a":1.0,"b":[true,null,{}],"c":"x y"}"#
            ])
        #expect(try lines("[]", columns: 2) == ["[]"])
    }

    @Test("Longer JSON fills lines with whole members")
    func filled() throws {
        let text = #"{"type":"trade","symbol":"BTC-USD","price":64123.5,"size":0.25,"side":"buy"}"#
        #expect(
            try lines(text, columns: 40) == [
                #"{"type":"trade","symbol":"BTC-USD","#, #" "price":64123.5,"size":0.25,"#, #" "side":"buy"}"#,
            ])
        #expect(try fit(text, columns: 40).isFolded == false)
    }

    @Test("The only large value gets all available lines")
    func envelope() throws {
        let text = #"{"data":{"user":{"name":"Ada Lovelace","mail":"ada@example.com"},"ok":true}}"#
        let result = try fit(text, columns: 40)
        #expect(!result.isFolded && result.lines.count == 2)
        #expect(
            result.lines.map(\.text).joined().split(separator: " ").joined()
                == #"{"data":{"user":{"name":"AdaLovelace","mail":"ada@example.com"},"ok":true}}"#)
    }

    @Test("Values that do not fit are folded, with the number of hidden values")
    func folded() throws {
        let numbers = (1...100).map(String.init).joined(separator: ",")
        let result = try fit(#"{"type":"x","bids":[\#(numbers)],"asks":[\#(numbers)],"seq":7}"#, columns: 40, rows: 4)
        #expect(result.isFolded)
        #expect(result.lines.count <= 4)
        #expect(result.lines.allSatisfy { $0.columns <= 40 })
        let text = result.lines.map(\.text).joined(separator: "\n")
        #expect(text.contains(" more]"))
        #expect(text.hasSuffix(#""seq":7}"#))
    }

    @Test("Members beyond the last line are counted")
    func manyMembers() throws {
        let members = (1...100).map { #""member\#($0)":\#($0)"# }.joined(separator: ",")
        let result = try fit("{\(members)}", columns: 40, rows: 3)
        #expect(result.isFolded && result.lines.count == 3)
        #expect(result.lines.last?.text.hasSuffix(" more}") ?? false)
    }

    @Test(
        "Searching for punctuation highlights it, and neither colors nor line breaks change",
        arguments: [#"\{"#, #"[\[\]{}]"#, ",", ":", #"": ""#, "a|long", #"\}, "#])
    func punctuation(pattern: String) throws {
        let text = Array(
            #"{"a" : {"b": [1, 2, {}], "long": "\#(String(repeating: "long ", count: 30))"}, "c": [[]], "d":{}}"#.utf8)
        let matches = TextMatches(of: try Pattern(pattern), in: text.span.bytes)
        func lines(_ palette: Palette, _ matches: TextMatches, _ columns: Int) throws -> [StyledText] {
            let json = JSONFit(text.span.bytes, palette: palette, highlighting: matches)
            let lines = try #require(json).lines(
                of: text.span.bytes, columns: columns, rows: 4, after: StyledText(palette))
            return lines.lines
        }
        for columns in [20, 30, 60, 80, 400] {
            let plain = Palette(isEnabled: false)
            let shown = try lines(plain, matches, columns)
            #expect(try shown == lines(plain, .none, columns))
            #expect(
                try shown.flatMap { $0.wrapped(columns: 20, rows: 99) ?? [] }
                    == lines(plain, .none, columns).flatMap { $0.wrapped(columns: 20, rows: 99) ?? [] })
            let colored = try lines(Palette(isEnabled: true), matches, columns)
            let isHighlighted = colored.contains { $0.hasMatch }
            #expect(isHighlighted)
            #expect(colored[0].text.contains("\u{1B}[1;38;5;27m"))
        }
    }

    @Test("No line is longer than the window, whatever the text", arguments: [20, 24, 33, 60, 80])
    func widths(columns: Int) throws {
        let long = String(repeating: "x", count: 500)
        let deep = String(repeating: #"{"a":["#, count: 100) + "1" + String(repeating: "]}", count: 100)
        let texts = [
            #"{"\#(long)":1}"#, #"["\#(long)"]"#, #"{"a":"\#(long)","b":"水水水水水水水水水水水水水水"}"#, deep,
            "[\(String(repeating: "[[[[1,2],3],4],5],", count: 30))0]",
            #"{"a":{"b":{"c":"\#(long)"}},"d":[{"e":"\#(long)"},{"f":1}],"g":2}"#, #"{"a":"\u202e","b":" "}"#,
            "[-1.5e300,\(String(repeating: "true,", count: 100))null]",
        ]
        for text in texts {
            for rows in [1, 2, 3, 10] {
                let result = try fit(text, columns: columns, rows: rows)
                #expect(result.lines.count <= rows, "\(text.prefix(20)) \(rows)")
                #expect(result.lines.allSatisfy { $0.columns <= columns }, "\(text.prefix(20)) \(rows)")
            }
        }
    }

    @Test("Text before the JSON counts")
    func lead() throws {
        let palette = Palette(isEnabled: false)
        let text = Array(#"{"a":1,"b":2}"#.utf8)
        let json = try parsed(text, palette)
        let result = json.lines(of: text.span.bytes, columns: 16, rows: 3, after: StyledText("#1 3 ms ", palette))
        #expect(result.lines.map(\.text) == [#"#1 3 ms {"a":1,"#, #" "b":2}"#])
    }

    @Test("Other texts are not JSON", arguments: ["", "x", "1", "\"a\"", "{", "{'a':1}", "[1,]", "{} x"])
    func invalid(text: String) {
        let bytes = Array(text.utf8)
        let json = JSONFit(bytes.span.bytes, palette: Palette(isEnabled: false))
        let isJSON = json != nil
        #expect(!isJSON)
    }

    @Test("Keys, strings, numbers, and literals are colored")
    func colors() throws {
        let text = Array(#"{"a":[1,"x",null]}"#.utf8)
        let json = try parsed(text, Palette(isEnabled: true))
        let line = json.lines(of: text.span.bytes, columns: 80, rows: 1, after: StyledText(Palette(isEnabled: true)))
            .lines[0]
        #expect(line.columns == 18)
        for style in ["1;38;5;27", "38;5;30", "38;5;28", "38;5;163"] {
            #expect(line.text.contains("\u{1B}[\(style)m"), "\(style)")
        }
    }

    private func parsed(_ text: [UInt8], _ palette: Palette) throws -> JSONFit {
        let json = JSONFit(text.span.bytes, palette: palette)
        return try #require(json)
    }

    private func fit(_ text: String, columns: Int, rows: Int = 10) throws -> JSONFit.Result {
        let (bytes, palette) = (Array(text.utf8), Palette(isEnabled: false))
        let json = try parsed(bytes, palette)
        return json.lines(of: bytes.span.bytes, columns: columns, rows: rows, after: StyledText(palette))
    }

    private func lines(_ text: String, columns: Int) throws -> [String] {
        try fit(text, columns: columns).lines.map(\.text)
    }
}
