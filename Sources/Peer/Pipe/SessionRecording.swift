import UserInterface
import WSCore

/// The recording of a session, which the user can start and stop at a prompt.
package final class SessionRecording {
    /// The recording in progress, or `nil` without one.
    package private(set) var recorder: Recorder?
    /// How the run decodes messages; see ``RecordedCodecs``.
    package var codecs: [String] = []
    /// Called when the recording has written its backlog, or no longer has to be waited for.
    package var didDrain: () -> Void = {}
    /// Called when writing fails, which ends the recording.
    package var didFail: (Failure) -> Void = { _ in }

    /// Writes a recording in another format.
    /// - Returns: False if there was no connection, so that there is nothing to write.
    package typealias Conversion = (SeekableFile) throws(Failure) -> Bool

    private let diagnostics: Diagnostics
    private let loop: EventLoop
    /// The conversion to the format that a path names, or `nil` to write the recording itself.
    private let conversion: (_ path: String) -> Conversion?
    /// The recording in progress and its conversion, or `nil` if it is not converted.
    private var converted: (file: SeekableFile, convert: Conversion)?

    package init(
        diagnostics: Diagnostics, conversion: @escaping (_ path: String) -> Conversion? = { _ in nil },
        on loop: EventLoop
    ) {
        self.diagnostics = diagnostics
        self.conversion = conversion
        self.loop = loop
    }

    /// The file of the recording, or `nil` without one.
    package var path: String? { recorder?.path }

    /// Starts recording, and ends a recording in progress.
    /// - Parameters:
    ///   - path: The file.
    ///   - isReplacing: Whether to truncate an existing file. Otherwise, or if the recording is converted, an existing
    ///     file is an error.
    package func start(to path: String, replacing isReplacing: Bool) throws(IOError) {
        stop()
        let recorder: Recorder
        if let convert = conversion(path) {
            // The file is written at the end. Whether that is possible shows now: this leaves no file.
            _ = try CompleteFile(creating: path)
            let file = try SeekableFile(unnamedIn: diagnostics.temporaryDirectory)
            recorder = try Recorder(to: file, for: path, codecs: codecs, without: diagnostics.secrets, on: loop)
            converted = (file, convert)
        } else {
            recorder = try Recorder(
                path: path, replacing: isReplacing, codecs: codecs, without: diagnostics.secrets, on: loop)
        }
        recorder.didDrain = { [unowned self] in didDrain() }
        recorder.didFail = { [unowned self] error in
            self.recorder = nil
            keepBeginning(for: path)
            didFail(.recording(path: path, error))
        }
        self.recorder = recorder
    }

    /// Ends the recording in progress, if any, and reports it.
    func stop() {
        recorder?.flush()
        // The flush may have failed just now. The failure has been reported.
        guard let recorder else { return }
        self.recorder = nil
        if let loss = recorder.loss {
            converted = nil
            diagnostics.error("\(loss)")
        } else {
            do throws(Failure) {
                if try convert(to: recorder.path) {
                    diagnostics.notice("Recorded to \(escapingControls(recorder.path)).")
                }
            } catch {
                diagnostics.report(error)
            }
        }
        recorder.close()
        didDrain()
    }

    /// Ends the recording at the end of the run. Writes its file if it is converted.
    /// - Parameter failure: The failure of the run.
    /// - Returns: The failure of the run, or else that of writing. Of two failures, the latter is reported.
    package func complete(after failure: Failure?) -> Failure? {
        recorder?.flush()
        // The run reports what is missing otherwise.
        guard let recorder, recorder.isDrained else { return failure }
        do throws(Failure) {
            if try convert(to: recorder.path) || failure != nil { return failure }
            return .reported(.recording(path: recorder.path, .noSuchFile))
        } catch {
            if failure != nil { diagnostics.report(error) }
            return failure ?? error
        }
    }

    /// Converts what was recorded before writing failed, if that is asked for.
    private func keepBeginning(for path: String) {
        converted?.file.removeIncompleteLine()
        do throws(Failure) { _ = try convert(to: path) } catch { diagnostics.report(error) }
    }

    /// Converts what was recorded, if that is asked for.
    /// - Returns: Whether the file is written.
    private func convert(to path: String) throws(Failure) -> Bool {
        guard let (file, convert) = converted else { return true }
        converted = nil
        if try convert(file) { return true }
        diagnostics.error("\(escapingControls(path)) is not written: no connection was opened")
        return false
    }

    /// Performs `/record`: starts recording, or stops if `path` is `nil`.
    package func record(to path: String?) {
        guard let path = path.map(UserFiles.expandingHome) else {
            guard recorder != nil else {
                return diagnostics.error("/record: not recording; /record FILE starts a recording")
            }
            return stop()
        }
        do throws(IOError) {
            try start(to: path, replacing: false)
            diagnostics.notice("Recording to \(escapingControls(path)); /record stops it.")
        } catch {
            let why = error == .fileExists ? "\(error); use another name" : error.fileProblem
            diagnostics.error("/record: \(escapingControls(path)): \(why)")
        }
    }
}
