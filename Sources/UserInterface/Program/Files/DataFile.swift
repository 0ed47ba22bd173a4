import Conversation
import Formats
import WSCore

/// Reads the rows of a data file (`--data`) one after another. Only one block of the file is in memory.
struct DataFileReader: Sendable {
    /// The path as typed.
    let path: String
    /// The names of the columns.
    let columns: VariableNames
    /// The number of rows read so far.
    private(set) var rowCount = 0
    private let file: InputFile
    private var reader: DataReader

    private static let blockBytes = 64 << 10

    /// Opens a file and reads the names of its columns.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ path: String) throws(Failure) {
        var reader = DataReader()
        let file: InputFile
        do throws(IOError) {
            file = try InputFile(reading: InputPlace.path(path))
        } catch {
            throw .badArgument(what: Self.place(path), why: error.fileProblem)
        }
        self.path = path
        self.file = file
        columns =
            try Self.next(&reader, from: file, at: path) { (reader) throws(DataError) in
                try reader.readColumns()
            } ?? VariableNames()
        self.reader = reader
    }

    /// Reads the next row.
    /// - Returns: The row, or `nil` at the end of the file.
    /// - Throws: ``Failure/badArgument(what:why:)``, which names the line.
    mutating func nextRow() throws(Failure) -> DataRow? {
        let row = try Self.next(&reader, from: file, at: path) { (reader) throws(DataError) in try reader.nextRow() }
        if row != nil { rowCount += 1 }
        return row
    }

    /// Reads the row with a number.
    /// - Parameter number: The number of the row, from 1. Earlier rows have not been read yet.
    /// - Throws: ``Failure/badArgument(what:why:)``, if the row is missing or one before it is invalid.
    mutating func row(_ number: Int) throws(Failure) -> DataRow {
        while let row = try nextRow() {
            if rowCount == number { return row }
        }
        guard rowCount > 0 else { throw .badArgument(what: place, why: "the file has no rows; add one") }
        let count = Phrase.count(rowCount, "row")
        throw .badArgument(
            what: "--row \(number)",
            why: "\(escapingControls(path)) has only \(count); choose a row from 1 to \(rowCount)")
    }

    /// The option and the path, for errors.
    var place: String { Self.place(path) }

    private static func place(_ path: String) -> String { "--data \(escapingControls(path))" }

    /// Reads the file until `take` returns a value or the file ends.
    private static func next<Value>(
        _ reader: inout DataReader, from file: InputFile, at path: String,
        _ take: (inout DataReader) throws(DataError) -> Value?
    ) throws(Failure) -> Value? {
        while true {
            do throws(DataError) {
                if let value = try take(&reader) { return value }
            } catch {
                throw .badArgument(
                    what: "\(place(path)), line \(error.line), column \(error.column)", why: "\(error.reason)")
            }
            if reader.isAtEnd { return nil }
            do throws(IOError) {
                let count = try file.read(blockBytes) { reader.receive($0) }
                if count == 0 { reader.finish() }
            } catch {
                throw .badArgument(what: place(path), why: error.fileProblem)
            }
        }
    }
}

/// The row of a data file that a run uses.
package struct ChosenRow {
    /// The names of the columns.
    package var columns = VariableNames()
    /// The row, or `nil` without a data file.
    package var row: DataRow?
    /// The option, the path, and the line of the row, for errors; `nil` if they are reported elsewhere.
    var place: String?
    /// The variables that received messages set, with names after the columns.
    package private(set) var extractions: [Extraction] = []
    /// Their latest values.
    package var received: [(slot: Int, value: TemplateVariables.Value)] = []

    package init(columns: VariableNames = VariableNames(), row: DataRow? = nil, place: String? = nil) {
        self.columns = columns
        self.row = row
        self.place = place
    }

    /// The same failure, with the place of the row that caused it.
    package func naming(_ failure: Failure) -> Failure {
        guard let place, case .badArgument(let what, let why) = failure else { return failure }
        return .badArgument(what: place, why: "\(what): \(why)")
    }

    /// Sets the variables of the columns.
    package func set(_ variables: inout TemplateVariables) {
        if let row { variables.set(row) }
        // The prompt adds variables that no request inserts.
        for (slot, value) in received where slot < columns.names.count { variables.set(slot, to: value) }
    }
}

extension ChosenRow {
    /// Reads the row that the arguments choose, and adds the other variables of a run.
    /// - Parameters:
    ///   - protocols: The variables of `--param`, unless they are parameters of a protocol.
    ///   - sets: The variables that received messages set.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init(
        _ arguments: DataArguments, _ protocols: ProtocolArguments, sets: [SetVariableValue] = [],
        secrets: Secrets
    ) throws(Failure) {
        if let path = arguments.path {
            var reader = try DataFileReader(path)
            let row = try reader.row(arguments.row)
            self.row = row
            columns = reader.columns
            place = "\(reader.place), line \(row.line)"
        }
        let values = try protocols.addVariables(to: &columns, secrets: secrets)
        if !values.isEmpty {
            var row = row ?? DataRow()
            for value in values { row.append(text: value) }
            self.row = row
        }
        for set in sets {
            do throws(VariableNameError) {
                extractions.append(Extraction(slot: try columns.add(own: set.name), path: set.path))
            } catch {
                throw .badArgument(what: "--set \(escapingControls(set.name))", why: "\(error)")
            }
        }
    }
}

extension ProtocolArguments {
    /// Adds the variables of `--param`, unless there is a protocol, whose parameters they are.
    /// - Returns: Their values, in order.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    fileprivate func addVariables(to columns: inout VariableNames, secrets: Secrets) throws(Failure) -> [[UInt8]] {
        guard choice == nil else { return [] }
        var values: [[UInt8]] = []
        for (index, parameter) in parameters.enumerated() {
            // The last value of a name counts.
            guard !parameters[(index + 1)...].contains(where: { $0.name == parameter.name }) else { continue }
            let option = "--param \(escapingControls(parameter.name))"
            let isSecret = SecretName.isSecret(parameter.name) || Secrets.isReference(parameter.value)
            let value =
                isSecret
                ? try secrets.value(of: parameter.value, for: option)
                : try secrets.text(of: parameter.value, for: option)
            do throws(VariableNameError) {
                try columns.add(own: parameter.name, isSecret: isSecret)
            } catch {
                throw .badArgument(what: option, why: "\(error)")
            }
            values.append(Array(value.utf8))
        }
        return values
    }
}

/// The rows of a data file for the connections of a load. All threads share it.
package final class DataFile: Sendable {
    private struct State: Sendable {
        /// The reader of the file, or `nil` if all connections have the same row.
        var reader: DataFileReader?
        /// The values of the variables after the columns.
        var parameters: [[UInt8]]
        /// The rows that have been read for connections that have not taken theirs, by number.
        var waiting: [UInt64: DataRow] = [:]
        var failure: Failure?

        /// The number of rows read so far.
        var rowCount: Int { reader?.rowCount ?? 0 }

        /// The next row, or `nil` at the end of the file.
        mutating func nextRow() throws(Failure) -> DataRow? {
            var row = reader == nil ? DataRow() : try reader?.nextRow()
            for value in parameters { row?.append(text: value) }
            return row
        }
    }

    /// The names of the columns.
    package let columns: VariableNames
    /// The row of the first connection.
    package let firstRow: DataRow
    /// The option and the path, for errors.
    private let place: String
    private let state: Mutex<State>

    /// Opens a file and reads its first row.
    /// - Parameters:
    ///   - path: The path of the file, or `nil` if all connections have the same values.
    ///   - protocols: The variables of `--param`, unless they are parameters of a protocol.
    /// - Returns: `nil` if there are no variables.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    package init?(_ path: String?, _ protocols: ProtocolArguments, secrets: Secrets) throws(Failure) {
        let reader = try path.map { (path) throws(Failure) in try DataFileReader(path) }
        var columns = reader?.columns ?? VariableNames()
        let parameters = try protocols.addVariables(to: &columns, secrets: secrets)
        guard reader != nil || !parameters.isEmpty else { return nil }
        place = reader?.place ?? "--param"
        var state = State(reader: reader, parameters: parameters)
        guard let row = try state.nextRow() else {
            throw .badArgument(what: place, why: "the file has no rows; add one for each connection")
        }
        self.columns = columns
        firstRow = row
        state.waiting = [0: row]
        self.state = Mutex(state)
    }

    /// The row of the first connection as a choice.
    package var firstChoice: ChosenRow {
        ChosenRow(columns: columns, row: firstRow, place: "\(place), line \(firstRow.line)")
    }

    /// Why a row could not be read, or `nil` if that has not happened.
    package var failure: Failure? { state.withLock { $0.failure } }

    /// Reads the rows of the first connections, to find errors before the load.
    /// - Parameters:
    ///   - count: The number of connections.
    ///   - check: Checks a row.
    /// - Throws: ``Failure/badArgument(what:why:)`` if a row is invalid or missing.
    package func load(_ count: Int, check: (UInt64, DataRow) throws(Failure) -> Void = { _, _ in }) throws(Failure) {
        let failure = state.withLock { state in
            do throws(Failure) {
                try load(count, into: &state, check: check)
                return nil as Failure?
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private func load(
        _ count: Int, into state: inout State, check: (UInt64, DataRow) throws(Failure) -> Void
    ) throws(Failure) {
        for number in 0..<UInt64(count) {
            var row = state.waiting[number]
            if row == nil { row = try state.nextRow() }
            guard let row else {
                throw .badArgument(
                    what: place,
                    why: "the file has only \(Phrase.count(state.rowCount, "row")) for "
                        + "\(Phrase.count(count, "connection")); add rows, or open fewer connections")
            }
            do throws(Failure) {
                try check(number, row)
            } catch {
                throw ChosenRow(place: "\(place), line \(row.line)").naming(error)
            }
            state.waiting[number] = row
        }
    }

    /// Returns the row of a connection, which must not have been taken before.
    /// - Parameter number: The number of the connection, from 0.
    /// - Returns: The row, or `nil` if it could not be read; see ``failure``.
    package func takeRow(_ number: UInt64) -> DataRow? {
        state.withLock { state in
            if let row = state.waiting.removeValue(forKey: number) { return row }
            do throws(Failure) {
                guard state.reader != nil else { return firstRow }
                while let row = try state.nextRow() {
                    let index = UInt64(state.rowCount - 1)
                    if index == number { return row }
                    // Another thread will open this connection.
                    state.waiting[index] = row
                }
                throw .badArgument(
                    what: place,
                    why: "the test has used all \(Phrase.count(state.rowCount, "row")), and each connection "
                        + "needs its own; add rows, or lower --messages or --duration")
            } catch {
                if state.failure == nil { state.failure = error }
                return nil
            }
        }
    }
}
