#pragma once

/// The contents of a file of the web pages or the manual, or `NULL` if there is no file with this name.
///
/// In C, because Swift compiles a file as an array of numbers, which takes 10 seconds.
const char *wsx_page(const char *name);
