/// The version that `wsx --version` prints, and that requests and reports name.
let version = "0.2.0"
