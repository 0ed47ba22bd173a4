// Replaces glibc's hypotf in portable builds. Swift's standard library refers to hypotf, which needs glibc 2.35 when linked
// on a newer system. The rest of wsx needs 2.34 at most. wsx never calls hypotf.
#include <math.h>

float __wrap_hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}
