#pragma once

/// The file with the cases of a section, by its place in the order of sections, or `NULL` after the last one.
const char *wsx_cases(long index);
