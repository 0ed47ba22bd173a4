/// The version that `wsx --version` prints, and that requests and reports name.
package let version = "0.2.0"
