import WSCore

extension IOError {
    /// Why a file that the user named cannot be used, and the remedy.
    package var fileProblem: String {
        switch self {
        case .noSuchFile: "\(self); check the path"
        case .isDirectory: "it is a directory; name a file"
        case .isBusy: "another program writes to it; name another file"
        case .accessDenied: "\(self); check the permissions"
        default: description
        }
    }
}
