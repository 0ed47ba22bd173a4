extension Case {
    /// Reads a line other than `rfc`, `why`, and `row`.
    mutating func read(_ words: inout WordReader) throws(CaseError) {
        if let step = try Step(&words) { return steps.append(step) }
        if let change = try HeadChange(&words) { return head.append(change) }
        let word = try words.required("a word").source
        switch word {
        case "role":
            role = PeerRole(rawValue: try words.required("server or client").source)
            if role == nil { throw words.line.error("the role is server or client") }
        case "control": control = try words.required("the name of a control").source
        case "offer": offer = try words.text()
        case "answer": answers.append(try words.text())
        case "settings":
            settings = try words.payload().bytes()
            guard settings.count.isMultiple(of: 6) else { throw words.line.error("a setting has 6 bytes") }
        case "pass": outcomes.append(try Outcome(.passed, &words))
        case "nonstrict": outcomes.append(try Outcome(.nonStrict, &words))
        case "info": outcomes.append(try Outcome(.informational, &words))
        default:
            guard let flag = Flag(rawValue: word) else { throw words.line.error("unknown line '\(word)'") }
            flags.insert(flag)
        }
    }
}

extension WordReader {
    /// Takes a quoted text.
    mutating func bytes() throws(CaseError) -> [UInt8] {
        guard let bytes = try required("a quoted text").quoted else { throw line.error("a quoted text is missing") }
        return bytes
    }

    mutating func text() throws(CaseError) -> String { String(decoding: try bytes(), as: UTF8.self) }

    fileprivate mutating func pieces() throws(CaseError) -> Pieces {
        var pieces = Pieces()
        while true {
            if let number = try number(of: "by") {
                pieces.byteCount = number
            } else if takes("alone") {
                pieces.isAlone = true
            } else {
                return pieces
            }
        }
    }
}

extension Step {
    /// Takes a step, or nothing if the line has none.
    init?(_ words: inout WordReader) throws(CaseError) {
        switch words.peek {
        case "send":
            _ = words.next()
            self = .send(try Frames(&words))
        case "bytes":
            _ = words.next()
            self = .bytes(try words.payload(), try words.pieces())
        case "http2":
            _ = words.next()
            self = .http2(try HTTP2Frame(&words))
        case "exchange":
            _ = words.next()
            guard let count = Int(try words.required("a number").source), count > 0 else {
                throw words.line.error("write exchange N KIND TERM")
            }
            self = .exchange(count: count, try Frames(&words))
        case "await":
            _ = words.next()
            guard let awaited = Awaited(rawValue: try words.required("echo, pong, close, fail, or ack").source) else {
                throw words.line.error("await takes echo, pong, close, fail, or ack")
            }
            self = .await(awaited)
        case "sync": self = .sync
        case "pause": self = .pause
        case "shutdown": self = .shutdown
        case "drop": self = .drop
        case "unread": self = .stopReading
        case "read": self = .startReading
        default: return nil
        }
        switch self {
        case .send, .bytes, .http2, .exchange, .await: break
        default: _ = words.next()
        }
    }
}

extension Frames {
    /// Takes a kind, a code, terms, and flags.
    fileprivate init(_ words: inout WordReader) throws(CaseError) {
        let kind = try words.required("the kind of frame").source
        guard let opcode = Opcode.names[kind] ?? UInt8(kind), opcode < 16 else {
            throw words.line.error("unknown kind '\(kind)'; use text, binary, ping, or an opcode")
        }
        self.init(opcode: opcode)
        let code = opcode == Opcode.close ? words.peek.flatMap { UInt16($0) } : nil
        if code != nil { _ = words.next() }
        payload = try words.payload()
        if let code { payload.prepend([UInt8(code >> 8), UInt8(code & 0xFF)]) }
        while let flag = words.peek {
            if let number = try words.number(of: "fragments") {
                fragmentBytes = number
            } else if let number = try words.number(of: "times") {
                guard number <= 1_000_000 else { throw words.line.error("times is 1000000 at most") }
                repetitions = number
            } else if let number = try words.number(of: "length", atLeast: 0) {
                announcedCount = number
            } else if try !read(flag, &words) {
                pieces = try words.pieces()
                if words.peek == flag { return }
            }
        }
    }

    /// Takes a flag without a value. Returns whether it is one.
    private mutating func read(_ flag: String, _ words: inout WordReader) throws(CaseError) -> Bool {
        switch flag {
        case "more": isFinal = false
        case "rsv1": reservedBits |= 0x40
        case "rsv2": reservedBits |= 0x20
        case "rsv3": reservedBits |= 0x10
        case "wrongmask": masking = .wrong
        case "zeromask": masking = .zero
        case "length16": lengthForm = .bits16
        case "length64": lengthForm = .bits64
        case "topbit": lengthForm = .topBit
        case "deflate": isCompressed = true
        default: return false
        }
        _ = words.next()
        return true
    }
}

extension HTTP2Frame {
    /// Takes a type, terms, and the flags, the stream, and the length.
    fileprivate init(_ words: inout WordReader) throws(CaseError) {
        let name = try words.required("the type of frame").source
        guard let type = HTTP2Frame.names[name] ?? UInt8(name) else {
            throw words.line.error("unknown type '\(name)'; use data, headers, ping, or a number")
        }
        self.init(type: type)
        payload = try words.payload().bytes()
        let isOfConnection = [HTTP2Frame.settings, HTTP2Frame.ping, HTTP2Frame.goaway].contains(type)
        stream = isOfConnection ? 0 : HTTP2Frame.webSocket
        while words.peek != nil {
            if let number = try words.number(of: "flags", atLeast: 0) {
                flags = UInt8(truncatingIfNeeded: number)
            } else if let number = try words.number(of: "stream", atLeast: 0) {
                stream = UInt32(truncatingIfNeeded: number)
            } else if let number = try words.number(of: "length", atLeast: 0) {
                announcedCount = number
            } else {
                return
            }
        }
    }
}

extension HeadChange {
    /// Takes a change of a head, or nothing if the line has none.
    fileprivate init?(_ words: inout WordReader) throws(CaseError) {
        switch words.peek {
        case "method", "version", "status", "target":
            let kind = try words.required("").source
            let word = try words.required("a value")
            let value = word.quoted.map { String(decoding: $0, as: UTF8.self) } ?? word.source
            switch kind {
            case "method": self = .method(value)
            case "version": self = .version(value)
            case "status": self = .status(value)
            default: self = .target(value)
            }
        case "body":
            _ = words.next()
            self = .body(try words.payload())
        case "header":
            _ = words.next()
            let operation = try words.required("set, add, drop, or raw").source
            if operation == "raw" {
                self = .raw(try words.bytes())
                return
            }
            let name = try words.required("the name of a field").source
            switch operation {
            case "set": self = .set(name: name, value: try words.bytes())
            case "add": self = .add(name: name, value: try words.bytes())
            case "drop": self = .drop(name: name)
            default: throw words.line.error("header takes set, add, drop, or raw")
            }
        case "head":
            _ = words.next()
            guard let count = try words.number(of: "by") else { throw words.line.error("write head by=N") }
            self = .pieces(count)
        default: return nil
        }
    }
}

extension Outcome {
    /// Takes events and an ending.
    fileprivate init(_ verdict: Verdict, _ words: inout WordReader) throws(CaseError) {
        self.verdict = verdict
        text = words.words.reversed().map(\.source).joined(separator: " ")
        isLate = words.takes("late")
        var events: [ExpectedEvent]? = []
        var ending: Ending?
        while ending == nil, var word = words.next()?.source {
            let endsEvents = word.last == ","
            if endsEvents { word.removeLast() }
            switch word {
            case "nothing", "": break
            case "any": events = nil
            case "echo": events?.append(.echo)
            case "echoes": events?.append(.echoes)
            case "pongs": events?.append(.pongs)
            case "pong":
                let payload = endsEvents ? Payload() : try words.payload()
                events?.append(payload.count > 0 ? .pongWith(payload.bytes()) : .pong)
            case "text", "binary":
                guard let opcode = Opcode.names[word] else { break }
                events?.append(.message(opcode: opcode, try words.payload().bytes()))
            default: ending = try Ending(word, &words)
            }
        }
        self.events = events
        self.ending = ending ?? .closes
    }
}

extension Ending {
    fileprivate init(_ word: String, _ words: inout WordReader) throws(CaseError) {
        switch word {
        case "closes": self = .closes
        case "ends": self = .ends
        case "opens": self = .opens(try words.conditions())
        case "refuses":
            let (codes, drops) = words.codes()
            self = .refuses(codes.map(Int.init), orDrops: drops, try words.conditions())
        case "fails":
            let isExact = words.takes("exactly")
            let (codes, drops) = words.codes()
            self = .fails(codes, exactly: isExact, orDrops: drops || !isExact)
        case "answers":
            let (codes, drops) = words.codes()
            self = .answers(codes, orDrops: drops)
        case "resets", "errors":
            var codes: [UInt32] = []
            while let name = words.peek, let code = HTTP2ErrorCode.names.firstIndex(of: name) {
                codes.append(UInt32(code))
                _ = words.next()
            }
            self = .resets(codes, endsConnection: word == "errors", orDrops: words.takes("drop"))
        default: throw words.line.error("unknown event or ending '\(word)'")
        }
    }
}

extension WordReader {
    /// Takes codes, `none`, and `drop`.
    fileprivate mutating func codes() -> (codes: [UInt16], drops: Bool) {
        var codes: [UInt16] = []
        var drops = false
        while let word = peek {
            if let code = UInt16(word) {
                codes.append(code)
            } else if word == "none" {
                codes.append(CloseCode.none)
            } else if word == "drop" {
                drops = true
            } else {
                break
            }
            _ = next()
        }
        return (codes, drops)
    }

    fileprivate mutating func conditions() throws(CaseError) -> [HeadCondition] {
        var conditions: [HeadCondition] = []
        while true {
            if let text = value(of: "has") {
                let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
                conditions.append(
                    HeadCondition(name: parts.first ?? "", value: parts.count > 1 ? parts[1] : nil))
            } else if let name = value(of: "lacks") {
                conditions.append(HeadCondition(name: name, isPresent: false))
            } else {
                return conditions
            }
        }
    }
}
