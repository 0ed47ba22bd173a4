/// The opcode of outgoing messages; `automatic` is text, except for chunks of input, which are binary.
enum PayloadKind {
    case automatic
    case text
    case binary
}
