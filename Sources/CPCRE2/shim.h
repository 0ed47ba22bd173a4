// PCRE2 for Swift, with 8-bit code units.
#ifndef WSX_CPCRE2_SHIM_H
#define WSX_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>


#endif
