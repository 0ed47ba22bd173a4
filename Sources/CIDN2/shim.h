// GNU libidn2 for Swift: the header, and a conversion function that combines its flags.
#ifndef WSX_CIDN2_SHIM_H
#define WSX_CIDN2_SHIM_H

#include <idn2.h>

// Converts a NUL-terminated UTF-8 name to its ASCII form with the nontransitional mappings of UTS #46. Returns a string
// to free with idn2_free(), or NULL with the reason in `result`. IDN2_USE_STD3_ASCII_RULES is not set: with it, libidn2
// 2.3 silently drops disallowed characters, which turns a name with a slash or an @ into another name.
static inline char *wsx_idn2_ascii(const char *name, int *result) {
    uint8_t *ascii = NULL;
    *result = idn2_lookup_u8((const uint8_t *)name, &ascii,
                             IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    return *result == IDN2_OK ? (char *)ascii : NULL;
}

#endif
