/// The opcode of outgoing messages; `automatic` is text, but for input of bytes (`chunks`, `hex`, `base64`), which is
/// binary. Events of `json` input say it themselves.
enum PayloadKind {
    case automatic
    case text
    case binary
}
