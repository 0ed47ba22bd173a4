// msgpack-c for Swift. Its decoder and encoder are templates in its headers, so no library is linked.
#ifndef WSX_CMESSAGEPACK_SHIM_H
#define WSX_CMESSAGEPACK_SHIM_H

#include <stdint.h>
#include <string.h>

// The decoder's maximum nesting depth, more than JSONReader.maximumDepth.
#define MSGPACK_EMBED_STACK_SIZE 600
#include <msgpack/unpack_define.h>
#include <msgpack/pack.h>
#include <msgpack/unpack.h>
#include <msgpack/version_master.h>

// The kinds of values. An extension's first byte is its type.
enum {
    WSX_MSGPACK_UNSIGNED,
    WSX_MSGPACK_SIGNED,
    WSX_MSGPACK_FLOAT,
    WSX_MSGPACK_NIL,
    WSX_MSGPACK_BOOLEAN,
    WSX_MSGPACK_TEXT,
    WSX_MSGPACK_BYTES,
    WSX_MSGPACK_EXTENSION,
    WSX_MSGPACK_ARRAY,
    WSX_MSGPACK_MAP,
};

struct wsx_msgpack_value {
    int kind;
    // An integer's bits, a count, or a Boolean.
    uint64_t number;
    double real;
    const unsigned char *bytes;
    size_t byte_count;
};

// Receives each value; the values within an array or map follow it. Returns a negative number to end the decoding.
typedef int (*wsx_msgpack_receiver)(void *context, const struct wsx_msgpack_value *value);

typedef struct {
    wsx_msgpack_receiver receiver;
    void *context;
} wsx_msgpack_user;

// The template stores an object per value. None is needed.
typedef int wsx_msgpack_object;

static inline int wsx_msgpack_pass_number(wsx_msgpack_user *user, int kind, uint64_t number) {
    struct wsx_msgpack_value value = {.kind = kind, .number = number};
    return user->receiver(user->context, &value);
}

static inline int wsx_msgpack_pass_real(wsx_msgpack_user *user, double real) {
    struct wsx_msgpack_value value = {.kind = WSX_MSGPACK_FLOAT, .real = real};
    return user->receiver(user->context, &value);
}

static inline int wsx_msgpack_pass_bytes(wsx_msgpack_user *user, int kind, const char *bytes, size_t count) {
    struct wsx_msgpack_value value = {.kind = kind, .bytes = (const unsigned char *)bytes, .byte_count = count};
    return user->receiver(user->context, &value);
}

#define msgpack_unpack_struct(name) struct wsx_msgpack_template##name
#define msgpack_unpack_func(ret, name) static inline ret wsx_msgpack_template##name
#define msgpack_unpack_callback(name) wsx_msgpack_pass##name
#define msgpack_unpack_object wsx_msgpack_object
#define msgpack_unpack_user wsx_msgpack_user

#define WSX_MSGPACK_PASSES(name, type, call) \
    static inline int name(wsx_msgpack_user *user, type value, wsx_msgpack_object *object) { \
        *object = 0; \
        return call; \
    }
WSX_MSGPACK_PASSES(wsx_msgpack_pass_uint8, uint8_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_UNSIGNED, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_uint16, uint16_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_UNSIGNED, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_uint32, uint32_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_UNSIGNED, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_uint64, uint64_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_UNSIGNED, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_int8, int8_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_SIGNED, (uint64_t)(int64_t)value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_int16, int16_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_SIGNED, (uint64_t)(int64_t)value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_int32, int32_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_SIGNED, (uint64_t)(int64_t)value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_int64, int64_t, wsx_msgpack_pass_number(user, WSX_MSGPACK_SIGNED, (uint64_t)value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_float, float, wsx_msgpack_pass_real(user, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_double, double, wsx_msgpack_pass_real(user, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_array, unsigned int, wsx_msgpack_pass_number(user, WSX_MSGPACK_ARRAY, value))
WSX_MSGPACK_PASSES(wsx_msgpack_pass_map, unsigned int, wsx_msgpack_pass_number(user, WSX_MSGPACK_MAP, value))

#define WSX_MSGPACK_PASSES_WORD(name, kind, number) \
    static inline int name(wsx_msgpack_user *user, wsx_msgpack_object *object) { \
        *object = 0; \
        return wsx_msgpack_pass_number(user, kind, number); \
    }
WSX_MSGPACK_PASSES_WORD(wsx_msgpack_pass_nil, WSX_MSGPACK_NIL, 0)
WSX_MSGPACK_PASSES_WORD(wsx_msgpack_pass_true, WSX_MSGPACK_BOOLEAN, 1)
WSX_MSGPACK_PASSES_WORD(wsx_msgpack_pass_false, WSX_MSGPACK_BOOLEAN, 0)

#define WSX_MSGPACK_PASSES_BYTES(name, kind) \
    static inline int name( \
        wsx_msgpack_user *user, const char *base, const char *bytes, unsigned int count, wsx_msgpack_object *object) { \
        (void)base; \
        *object = 0; \
        return wsx_msgpack_pass_bytes(user, kind, bytes, count); \
    }
WSX_MSGPACK_PASSES_BYTES(wsx_msgpack_pass_str, WSX_MSGPACK_TEXT)
WSX_MSGPACK_PASSES_BYTES(wsx_msgpack_pass_bin, WSX_MSGPACK_BYTES)
WSX_MSGPACK_PASSES_BYTES(wsx_msgpack_pass_ext, WSX_MSGPACK_EXTENSION)

static inline wsx_msgpack_object wsx_msgpack_pass_root(wsx_msgpack_user *user) { return (void)user, 0; }
static inline int wsx_msgpack_pass_array_item(
    wsx_msgpack_user *user, wsx_msgpack_object *array, wsx_msgpack_object item) {
    return (void)user, (void)array, (void)item, 0;
}
static inline int wsx_msgpack_pass_map_item(
    wsx_msgpack_user *user, wsx_msgpack_object *map, wsx_msgpack_object key, wsx_msgpack_object item) {
    return (void)user, (void)map, (void)key, (void)item, 0;
}

#include <msgpack/unpack_template.h>

// Decodes one value with all it contains. Returns 1, 0 if the value is incomplete, or a negative number. Stores the
// number of bytes decoded.
static inline int wsx_msgpack_decode(
    const unsigned char *bytes, size_t byte_count, size_t *decoded, wsx_msgpack_receiver receiver, void *context) {
    struct wsx_msgpack_template_context state;
    state.user.receiver = receiver;
    state.user.context = context;
    wsx_msgpack_template_init(&state);
    *decoded = 0;
    return wsx_msgpack_template_execute(&state, (const char *)bytes, byte_count, decoded);
}

// The encoder writes a number, a literal, or the beginning of another value into a piece.
struct wsx_msgpack_piece {
    unsigned char bytes[16];
    size_t byte_count;
};

static inline int wsx_msgpack_write(void *data, const char *bytes, size_t byte_count) {
    struct wsx_msgpack_piece *piece = (struct wsx_msgpack_piece *)data;
    if (byte_count > sizeof(piece->bytes) - piece->byte_count) return -1;
    memcpy(piece->bytes + piece->byte_count, bytes, byte_count);
    piece->byte_count += byte_count;
    return 0;
}

// Encodes into at least 16 bytes and returns the length.
#define WSX_MSGPACK_ENCODES(name, parameters, call) \
    static inline size_t name parameters { \
        struct wsx_msgpack_piece piece; \
        piece.byte_count = 0; \
        msgpack_packer packer; \
        msgpack_packer_init(&packer, &piece, wsx_msgpack_write); \
        call; \
        memcpy(target, piece.bytes, piece.byte_count); \
        return piece.byte_count; \
    }
WSX_MSGPACK_ENCODES(wsx_msgpack_nil, (void *target), msgpack_pack_nil(&packer))
WSX_MSGPACK_ENCODES(wsx_msgpack_boolean, (int value, void *target),
                    value ? msgpack_pack_true(&packer) : msgpack_pack_false(&packer))
WSX_MSGPACK_ENCODES(wsx_msgpack_unsigned, (uint64_t value, void *target), msgpack_pack_uint64(&packer, value))
WSX_MSGPACK_ENCODES(wsx_msgpack_signed, (int64_t value, void *target), msgpack_pack_int64(&packer, value))
WSX_MSGPACK_ENCODES(wsx_msgpack_double, (double value, void *target), msgpack_pack_double(&packer, value))
WSX_MSGPACK_ENCODES(wsx_msgpack_text, (uint32_t count, void *target), msgpack_pack_str(&packer, count))
WSX_MSGPACK_ENCODES(wsx_msgpack_bytes, (uint32_t count, void *target), msgpack_pack_bin(&packer, count))
WSX_MSGPACK_ENCODES(wsx_msgpack_extension, (uint32_t count, int8_t type, void *target),
                    msgpack_pack_ext(&packer, count, type))
WSX_MSGPACK_ENCODES(wsx_msgpack_array, (uint32_t count, void *target), msgpack_pack_array(&packer, count))
WSX_MSGPACK_ENCODES(wsx_msgpack_map, (uint32_t count, void *target), msgpack_pack_map(&packer, count))

#endif
