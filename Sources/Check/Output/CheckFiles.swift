import Formats
import UserInterface
import WSCore

/// The files of results. They are opened before the run, to fail early.
struct CheckFiles {
    private let junit: OutputFile?
    private let junitPath: String
    private let report: OutputFile?
    private let reportPath: String

    /// - Throws: ``Failure/badArgument(what:why:)``.
    init(_ arguments: CheckArguments) throws(Failure) {
        junitPath = arguments.junitPath ?? ""
        let inputs = arguments.readFiles
        junit = try OutputPlace(option: "--junit", path: arguments.junitPath).create(beside: inputs)
        reportPath = arguments.reportPath ?? ""
        report = try OutputPlace(option: "--report", path: arguments.reportPath).create(beside: inputs)
        guard let path = arguments.autobahnPath else { return }
        do throws(IOError) {
            try File.makeDirectory(path)
        } catch {
            throw .badArgument(what: "--autobahn \(escapingControls(path))", why: error.fileProblem)
        }
        guard File.isDirectory(path) else {
            throw .badArgument(what: "--autobahn \(escapingControls(path))", why: "it is not a directory")
        }
    }

    /// - Throws: ``Failure/writing(path:_:)``.
    func writeJUnit(_ text: String) throws(Failure) {
        if let junit { try Self.write(text, to: junit, path: junitPath) }
    }

    /// - Throws: ``Failure/writing(path:_:)``.
    func writeReport(_ text: @autoclosure () -> String, diagnostics: Diagnostics) throws(Failure) {
        guard let report else { return }
        try Self.write(text(), to: report, path: reportPath)
        diagnostics.notice("wsx: the report is in \(escapingControls(reportPath))")
    }

    /// Writes a file in a directory of results.
    /// - Throws: ``Failure/writing(path:_:)``.
    static func write(_ text: String, to path: String) throws(Failure) {
        let file: OutputFile
        do throws(IOError) {
            file = try OutputFile(creating: path)
        } catch {
            throw .writing(path: path, error)
        }
        try write(text, to: file, path: path)
    }

    private static func write(_ text: String, to file: OutputFile, path: String) throws(Failure) {
        if let error = StandardDescriptors.writeAll(text, to: file.descriptor) { throw .writing(path: path, error) }
    }
}

extension JSONWriter {
    /// Ends the outermost object, and returns the text with a line end.
    var finished: String {
        consuming get {
            endObject()
            return text.withReadableBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } } + "\n"
        }
    }
}
