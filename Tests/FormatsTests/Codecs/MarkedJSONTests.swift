import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct MarkedJSONTests {
    static let keysCases: [String] = [
        #"{"$1":2}"#, #"{"$-1":null,"$1.5":0}"#, #"{"$true":1,"$null":2}"#, #"{"$[1,{\"a\":2}]":[]}"#,
        #"{"${\"$bytes\":\"AAE=\"}":{}}"#, #"{"$$bytes":"x"}"#, #"{"$$$":1}"#, #"{"$\"a\"":1}"#,
        #"{"$$1":1,"1":2}"#,
        #"{"${\"$text\":\"/w==\"}":{"$$text":"a"}}"#, #"[{"$[[]]":1},{"$1":{"$2":{"$3":4}}}]"#,
        #"{"${\"${\\\"$1\\\":2}\":3}":4}"#, #"{"$float":"Infinity"}"#, #"{"$bytes":"AA==","a":1}"#,
    ]

    @Test("Keys that are no text, and keys that begin with $, survive a round trip", arguments: Self.keysCases)
    func keys(json: String) throws {
        for codec in [Codec.messagePack, .cbor] {
            guard !json.contains(#""$bytes":"AA==","#) else {
                #expect(throws: CodecProblem.invalidKey("$bytes")) { try codec.message(json) }
                continue
            }
            // A text as `$` and a JSON string is the text itself.
            let expected = json == #"{"$\"a\"":1}"# ? #"{"a":1}"# : json
            try expectEqual(codec.json(codec.message(json)), expected)
        }
    }

    static let numbersCases: [String] = [
        "0", "-1", "9007199254740993", "-9223372036854775808", "18446744073709551615", "0.1", "-0.0", "5e-324",
        "1.7976931348623157e+308", "0.1000000000000000055511151231257827", "1E3", "123456789012345678901.0",
    ]

    @Test("Numbers keep their value", arguments: Self.numbersCases)
    func numbers(json: String) throws {
        for codec in [Codec.messagePack, .cbor] {
            let result = try codec.json(codec.message(json))
            expectEqual(Double(result), Double(json))
            // Integers stay integers, and floats stay floats.
            expectEqual(Int128(result), Int128(json))
        }
    }

    @Test(
        "JSON that a format cannot represent names the problem",
        arguments: [
            (.messagePack, "18446744073709551616", .numberOutOfRange("18446744073709551616")),
            (.messagePack, "-9223372036854775809", .numberOutOfRange("-9223372036854775809")),
            (.cbor, "-18446744073709551617", .numberOutOfRange("-18446744073709551617")),
            (.cbor, "1e400", .numberOutOfRange("1e400")),
            (.messagePack, #"{"$tag":[0,"a"]}"#, .unsupportedMarker("$tag")),
            (.messagePack, #"{"$undefined":true}"#, .unsupportedMarker("$undefined")),
            (.messagePack, #"{"$simple":1}"#, .unsupportedMarker("$simple")),
            (.cbor, #"{"$ext":[1,""]}"#, .unsupportedMarker("$ext")),
            (.cbor, #"{"$bytes":1}"#, .invalidMarker("$bytes", expected: "a string of Base64")),
            (.cbor, #"{"$bytes":"!"}"#, .invalidMarker("$bytes", expected: "a string of Base64")),
            (.cbor, #"{"$float":"x"}"#, .invalidMarker("$float", expected: #""NaN", "Infinity", or "-Infinity""#)),
            (.cbor, #"{"$tag":[1]}"#, .invalidMarker("$tag", expected: "an array of a number and a value")),
            (.cbor, #"{"$tag":[-1,0]}"#, .invalidMarker("$tag", expected: "an array of a number and a value")),
            (.cbor, #"{"$tag":{"a":1,"b":2}}"#, .invalidMarker("$tag", expected: "an array of a number and a value")),
            (.cbor, #"{"$simple":20}"#, .invalidMarker("$simple", expected: "a number from 0 to 19 or 32 to 255")),
            (
                .messagePack, #"{"$ext":[128,""]}"#,
                .invalidMarker("$ext", expected: "an array of a type from -128 to 127 and a string of Base64")
            ),
            (.cbor, #"{"$undefined":[]}"#, .invalidMarker("$undefined", expected: "the value true")),
            (.cbor, #"{"$unknown":1}"#, .invalidKey("$unknown")),
            (.cbor, #""\ud800""#, .unpairedSurrogate), (.cbor, "[1", .notJSON(.truncated)),
            (.cbor, "1 2", .notJSON(.unexpected(offset: 2))), (.cbor, "", .notJSON(.truncated)),
        ] as [(Codec, String, CodecProblem)])
    func unrepresentable(codec: Codec, json: String, problem: CodecProblem) {
        #expect(throws: problem) { try codec.message(json) }
    }

    @Test("Nesting is limited to what JSON readers accept, in both directions and formats")
    func depth() throws {
        let limit = JSONReader.maximumDepth
        let json = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
        for codec in [Codec.messagePack, .cbor] {
            let message = try codec.message(json)
            try expectEqual(codec.json(message), json)
            let prefix: [UInt8] = codec == .cbor ? [0x81] : [0x91]
            #expect(throws: CodecProblem.tooDeep(limit: limit)) { try codec.json(prefix + message) }
            #expect(throws: CodecProblem.notJSON(.tooDeep(limit: limit))) { try codec.message("[" + json + "]") }
            let keyed = #"{"$\#(json.dropFirst(10).dropLast(10))":1}"#
            try expectEqual(codec.json(codec.message(keyed)), keyed)
            #expect(throws: CodecProblem.tooDeep(limit: limit)) {
                try codec.message(String(repeating: "[", count: 20) + keyed + String(repeating: "]", count: 20))
            }
        }
        // A tag has two levels, and so has its value's marker.
        let tags = [UInt8](repeating: 0xC1, count: limit / 2)
        #expect(try Codec.cbor.json(tags + [0]).count > limit)
        #expect(throws: CodecProblem.tooDeep(limit: limit)) { try Codec.cbor.json(tags + [0x40]) }
        #expect(throws: CodecProblem.tooDeep(limit: limit)) {
            try Codec.messagePack.json([UInt8](repeating: 0x91, count: 100_000))
        }
        #expect(throws: CodecProblem.tooDeep(limit: limit)) {
            try Codec.cbor.json([UInt8](repeating: 0x9F, count: 100_000))
        }
    }

    @Test("Output beyond the limit fails, however small the message is")
    func limit() throws {
        let nulls: [UInt8] = [0xDD, 0, 0, 0x40, 0] + [UInt8](repeating: 0xC0, count: 0x4000)
        #expect(throws: CodecProblem.tooBig(limitBytes: 1000)) { try Codec.messagePack.json(nulls, limitBytes: 1000) }
        let undefined: [UInt8] = [0x9F] + [UInt8](repeating: 0xF7, count: 100) + [0xFF]
        #expect(throws: CodecProblem.tooBig(limitBytes: 1000)) { try Codec.cbor.json(undefined, limitBytes: 1000) }
        #expect(throws: CodecProblem.tooBig(limitBytes: 4)) { try Codec.cbor.json(bytes("6449455446"), limitBytes: 4) }
        try expectEqual(Codec.cbor.json(bytes("6449455446"), limitBytes: 6), #""IETF""#)
    }

    @Test(
        "A few bytes of maps as keys, each of which doubles the backslashes, do not become a huge text",
        arguments: [2, 25, 100])
    func nestedKeys(depth: Int) throws {
        let values = [UInt8](repeating: 0, count: depth)
        for (codec, map) in [(Codec.messagePack, UInt8(0x81)), (.cbor, 0xA1)] {
            let message = [UInt8](repeating: map, count: depth) + [0] + values
            if depth == 2 {
                try expectEqual(codec.json(message), #"{"${\"$0\":0}":0}"#)
            } else {
                #expect(throws: CodecProblem.tooBig(limitBytes: 64 * message.count)) { try codec.json(message) }
            }
        }
    }

    @Test("The most verbose value of each format is decoded, alone and as a key")
    func verboseValues() throws {
        try expectEqual(Codec.cbor.json(bytes("f7")), #"{"$undefined":true}"#)
        try expectEqual(Codec.cbor.json(bytes("a1f7f7")), #"{"${\"$undefined\":true}":{"$undefined":true}}"#)
        try expectEqual(Codec.messagePack.json(bytes("81d40500c0")), #"{"${\"$ext\":[5,\"AA==\"]}":null}"#)
    }

    @Test("Every prefix of a message is incomplete")
    func prefixes() throws {
        let json = #"{"a":[1,-1000,1.5,"text",{"$bytes":"AAECAwQ="},null,true,{"$1":{}}],"b":{"c":"é"}}"#
        for codec in [Codec.messagePack, .cbor] {
            let message = try codec.message(json)
            try expectEqual(codec.json(message), json)
            for count in message.indices {
                #expect(throws: CodecProblem.truncated) { try codec.json(Array(message[..<count])) }
            }
        }
    }

    @Test("Damaged messages either fail or are JSON that stands for an equal message")
    func damage() throws {
        var random = SeededRandom(seed: 1)
        let json = #"{"a":[1,-1000,1.5,"text",{"$bytes":"AAECAwQ="},null,true,{"$1":{}}],"$[2]":{"c":"é"}}"#
        for codec in [Codec.messagePack, .cbor] {
            let message = try codec.message(json)
            for _ in 0..<3000 {
                var damaged = message
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    damaged[Int.random(in: 0..<message.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                guard let result = try? codec.json(damaged) else { continue }
                expectNil(JSONReader.problem(in: Array(result.utf8).span.bytes))
                try expectEqual(codec.json(codec.message(result)), result)
            }
        }
    }
}
