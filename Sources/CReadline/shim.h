// GNU readline as Swift sees it: its mutable globals are not usable from Swift 6, so each has a function here.
#ifndef WSX_CREADLINE_SHIM_H
#define WSX_CREADLINE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <readline/readline.h>
#include <readline/history.h>

// Reads from one descriptor and draws on another, which may be the same.
static inline void wsx_readline_set_streams(FILE *input, FILE *output) {
    rl_instream = input;
    rl_outstream = output;
}

static inline void wsx_readline_flush(void) { fflush(rl_outstream); }

static inline void wsx_readline_write(const char *text, size_t byte_count) {
    fwrite(text, 1, byte_count, rl_outstream);
    fflush(rl_outstream);
}

// Signals belong to the event loop; readline is told of them.
static inline void wsx_readline_configure(const char *name) {
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
}

static inline const char *wsx_readline_buffer(void) { return rl_line_buffer; }
static inline int wsx_readline_length(void) { return rl_end; }

// Binds the Enter key, in each keymap in which it accepts a line.
static inline void wsx_readline_bind_enter(rl_command_func_t *command) {
    rl_bind_key_in_map('\r', command, emacs_standard_keymap);
    rl_bind_key_in_map('\n', command, emacs_standard_keymap);
    rl_bind_key_in_map('\r', command, vi_insertion_keymap);
    rl_bind_key_in_map('\n', command, vi_insertion_keymap);
    rl_bind_key_in_map('\r', command, vi_movement_keymap);
    rl_bind_key_in_map('\n', command, vi_movement_keymap);
}

// Leaves an empty line, ready for the next, at the bottom of the history.
static inline void wsx_readline_reset_line(void) {
    rl_replace_line("", 1);
    rl_point = 0;
    rl_mark = 0;
    while (next_history()) {}
}

// The character set of the user's locale; a locale without UTF-8 gives way to one with it.
static inline void wsx_readline_set_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

#endif
