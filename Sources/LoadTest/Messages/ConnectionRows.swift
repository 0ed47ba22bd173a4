import Conversation

/// The data file of a load, with a row for each connection.
package struct LoadData: Sendable {
    /// The names of the columns, which are variables of all templates.
    package let columns: VariableNames
    /// The row of the first connection.
    package let firstRow: DataRow
    /// Returns the row of a connection by its number, from 0, or `nil` if there is none. Any thread may call it, once
    /// for each connection.
    internal let takeRow: @Sendable (UInt64) -> DataRow?

    /// Describes a data file.
    /// - Parameter takeRow: Returns the row of a connection by its number, from 0, or `nil` if there is none. Called
    ///   once for each connection, on any thread.
    package init(columns: VariableNames, firstRow: DataRow, takeRow: @escaping @Sendable (UInt64) -> DataRow?) {
        self.columns = columns
        self.firstRow = firstRow
        self.takeRow = takeRow
    }

    /// The row of the first connection alone, to check messages before the load.
    internal var sample: ConnectionRows {
        ConnectionRows(LoadData(columns: columns, firstRow: firstRow) { [firstRow] _ in firstRow })
    }
}

/// The rows of a data file that belong to the connections of a thread. A connection that is opened again keeps its row.
package final class ConnectionRows {
    /// The names of the columns.
    package let columns: VariableNames
    private let takeRow: (UInt64) -> DataRow?
    /// Whether rows are kept for connections that are opened again, and for messages.
    private let keepsRows: Bool
    private var rows: [UInt64: DataRow] = [:]

    /// Prepares the rows of a thread.
    internal init(_ data: LoadData, keepsRows: Bool = true) {
        columns = data.columns
        takeRow = data.takeRow
        self.keepsRows = keepsRows
    }

    /// The row of a connection, or `nil` if the file has no more rows.
    /// - Parameter number: The number of the connection, from 0.
    package func row(of number: UInt64) -> DataRow? {
        if let row = rows[number] { return row }
        let row = takeRow(number)
        if keepsRows { rows[number] = row }
        return row
    }
}
