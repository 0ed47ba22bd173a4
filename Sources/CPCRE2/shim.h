// PCRE2 as Swift sees it: its functions for text in bytes.
#ifndef WSX_CPCRE2_SHIM_H
#define WSX_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>


#endif
