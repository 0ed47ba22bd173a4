import WSCore

/// A page that is open.
final class PageClient: ConnectionHandler {
    let number: Int
    private unowned let page: LivePage
    /// The place in the history; `nil` before the page has its first line.
    private var position: PageHistory.Position?
    /// The held messages of which the page has not been told, because it has just opened or has missed events.
    private var untold: [Int] = []
    /// Whether nothing follows.
    private var hasEnded = false

    init(_ number: Int, of page: LivePage) {
        self.number = number
        self.page = page
    }

    /// Begins with what is held now, after the response to the request.
    func begin(on connection: Connection<PageClient>) {
        connection.send(page.hello.span.bytes, as: .text)
        untold = page.heldNumbers
        position = PageHistory.Position()
        feed(connection)
    }

    /// Sends what the connection has room for.
    func feed(_ connection: Connection<PageClient>) {
        guard var position else { return }
        defer { self.position = position }
        while !hasEnded, !connection.isFull, !connection.isClosing {
            if let number = untold.popLast() {
                if let line = page.heldLine(number) { connection.send(line.span.bytes, as: .text) }
                continue
            }
            switch page.history.next(after: &position) {
            case .omitted(let messageCount, let otherCount)?:
                let line = #"{"type":"omitted","messages":\#(messageCount),"events":\#(otherCount)}"#
                connection.send(Array(line.utf8).span.bytes, as: .text)
                untold = page.heldNumbers
            case .lines(let lines)?:
                lines.dropLast().withUnsafeBytes { _ = connection.send($0.bytes, as: .text) }
            case nil:
                guard let ending = page.ending else { return }
                hasEnded = true
                connection.send(ending.span.bytes, as: .text)
                connection.close(CloseFrame(code: .goingAway))
            }
        }
    }

    func connection(_ connection: Connection<PageClient>, received payload: RawSpan, as kind: MessageKind) {
        guard let problem = page.perform(payload, as: kind) else { return }
        connection.send(LivePage.line("problem") { $0.add("message", problem) }.span.bytes, as: .text)
    }

    func connectionDidDrain(_ connection: Connection<PageClient>) { feed(connection) }

    func connection(_ connection: Connection<PageClient>, didEnd end: ConnectionEnd) { page.ended(number) }
}
