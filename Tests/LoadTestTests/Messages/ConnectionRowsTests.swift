import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct ConnectionRowsTests {
    /// Counts how often each row is taken.
    private static func rows(keepsRows: Bool, _ taken: Mutex<[UInt64]>) throws -> ConnectionRows {
        let data = try LoadFixture.data("user\nAda\nBo\n")
        let counting = LoadData(columns: data.columns, firstRow: data.firstRow) { number in
            taken.withLock { $0.append(number) }
            return data.takeRow(number)
        }
        return ConnectionRows(counting, keepsRows: keepsRows)
    }

    @Test("A connection that is opened again keeps its row")
    func keeping() throws {
        let taken = Mutex<[UInt64]>([])
        let rows = try Self.rows(keepsRows: true, taken)
        let first = rows.row(of: 1)
        expectNotNil(first)
        expectEqual(rows.row(of: 1), first)
        expectEqual(taken.withLock { $0 }, [1])
    }

    @Test("Rows that only requests need are not kept")
    func forgetting() throws {
        let taken = Mutex<[UInt64]>([])
        let rows = try Self.rows(keepsRows: false, taken)
        _ = rows.row(of: 0)
        expectNotNil(rows.row(of: 1))
        expectNil(rows.row(of: 2))
        expectEqual(taken.withLock { $0 }, [0, 1, 2])
    }

    @Test("The variables of a connection get the values in its row, and keep those that follow the columns")
    func variables() throws {
        let data = try LoadFixture.data("user\nAda\nBo\n")
        let fixture = LoadFixture(.echo, connected: [0, 1]) { $0.data = data }
        var names = data.columns
        let slot = try names.add("sid")
        var variables = TemplateVariables(names)
        variables.set(slot, to: Array("7".utf8).span.bytes)
        fixture.context.factory.prepare(&variables, of: 1)
        var buffer = ByteBuffer()
        let template = try Template("{{user}} {{sid}}", variables: names) { _ in nil }
        try template.write(
            to: &buffer, stamp: Template.Stamp(sequence: 1, connection: 1, time: 0, seed: 0), variables: variables)
        let text = buffer.withReadableBytes { span in span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        expectEqual(text, "Bo 7")
    }

    @Test("The messages of each connection contain its row")
    func messages() throws {
        let data = try LoadFixture.data("user\nAda\nBo\n")
        let fixture = try LoadFixture(.echo, connected: [0, 1]) {
            [template = LoadFixture.template("{{user}}{{seq}}", data)] in
            $0.data = data
            $0.messages.templates = [template]
        }
        fixture.workload.sendDue()
        try expectEqual(fixture.port(0).sent, [Array("Ada1".utf8)])
        try expectEqual(fixture.port(1).sent, [Array("Bo1".utf8)])
    }
}
