/// Why a command cannot be carried out: one line, without the command's name.
struct ReplMistake: Error, Equatable {
    let why: String

    init(_ why: String) {
        self.why = why
    }
}
