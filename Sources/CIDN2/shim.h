// GNU libidn2 as Swift sees it: its flags and results as numbers, which are all that Swift needs of its enumerations.
#ifndef WSX_CIDN2_SHIM_H
#define WSX_CIDN2_SHIM_H

#include <idn2.h>

// The ASCII form of a name in UTF-8 that ends with a NUL, to be freed with idn2_free; NULL with a reason in `result`.
// UTS #46 without its transitional mappings. Not with IDN2_USE_STD3_ASCII_RULES: libidn2 2.3 then drops the characters
// that are not allowed and goes on, so that a name with a slash or an @ becomes another name.
static inline char *wsx_idn2_ascii(const char *name, int *result) {
    uint8_t *ascii = NULL;
    *result = idn2_lookup_u8((const uint8_t *)name, &ascii,
                             IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    return *result == IDN2_OK ? (char *)ascii : NULL;
}

#endif
