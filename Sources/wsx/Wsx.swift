import WSCore

/// The program.
@main
struct Wsx {
    static func main() {
        print("wsx \(version)")
    }
}

/// The version that `wsx --version` prints.
let version = "0.1.0"
