#include "CCases.h"

#include <stddef.h>

static const unsigned char *const sections[] = {
    (const unsigned char[]){
#embed "Sections/section-1.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-2.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-3.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-4.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-5.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-6.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-7.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-9.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-10.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-12.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-13.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-H.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-F.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-D.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-C.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-S.cases" suffix(, 0)
    },
    (const unsigned char[]){
#embed "Sections/section-T.cases" suffix(, 0)
    },
};

const char *wsx_cases(long index) {
    return index < (long)(sizeof sections / sizeof sections[0]) ? (const char *)sections[index] : NULL;
}
