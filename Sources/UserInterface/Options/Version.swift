/// The version of a release, such as `0.3.0`, or of the sources between releases: that of the next one with `-dev`.
package let version = "0.3.0"
