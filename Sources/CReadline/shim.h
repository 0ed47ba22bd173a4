// GNU readline for Swift. Swift 6 cannot use mutable C globals, so functions here access them.
#ifndef WSX_CREADLINE_SHIM_H
#define WSX_CREADLINE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <readline/readline.h>
#include <readline/history.h>

// Sets the streams to read keys from and to draw on. They may share a descriptor.
static inline void wsx_readline_set_streams(FILE *input, FILE *output) {
    rl_instream = input;
    rl_outstream = output;
}

static inline const char *wsx_readline_version(void) { return rl_library_version; }

static inline void wsx_readline_flush(void) { fflush(rl_outstream); }

static inline void wsx_readline_write(const char *text, size_t byte_count) {
    fwrite(text, 1, byte_count, rl_outstream);
    fflush(rl_outstream);
}

// The event loop handles signals and notifies readline.
static inline void wsx_readline_configure(void) {
    // The name for $if in an inputrc file. Readline keeps the pointer.
    rl_readline_name = "wsx";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
}

static inline const char *wsx_readline_buffer(void) { return rl_line_buffer; }
static inline int wsx_readline_length(void) { return rl_end; }

// Replaces a command of readline for all keys that the user or readline has bound to it.
static inline void wsx_readline_replace_command(rl_command_func_t *command, rl_command_func_t *replacement) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (int index = 0; index < 3; index++) {
        char **sequences = rl_invoking_keyseqs_in_map(command, maps[index]);
        for (char **sequence = sequences; sequence && *sequence; sequence++) {
            rl_bind_keyseq_in_map(*sequence, replacement, maps[index]);
            free(*sequence);
        }
        free(sequences);
    }
}

// The position in the history, counted from the first line of the session. It stays the same when old lines are dropped.
static inline int wsx_readline_history_position(void) { return where_history() + history_base; }

// Recalls the line at a position in the history, if there is one.
static inline void wsx_readline_recall(int position) {
    int distance = wsx_readline_history_position() - position;
    if (distance > 0) rl_get_previous_history(distance, 0);
}

// Inserts pasted text. At the end of the line, trailing newlines are dropped. In vi's command mode, which would
// interpret the text as commands, it first enters insert mode as with `a`.
static inline int wsx_readline_insert_paste(int count, int key) {
    if (rl_editing_mode == 0 && rl_get_keymap() == vi_movement_keymap) rl_vi_append_mode(1, 'a');
    int result = rl_bracketed_paste_begin(count, key);
    if (rl_point == rl_end) {
        int end = rl_end;
        while (end > 0 && rl_line_buffer[end - 1] == '\n') end--;
        if (end < rl_end) rl_delete_text(end, rl_end);
        rl_point = end;
    }
    return result;
}

// Binds the escape sequence before bracketed pastes, unless the user has bound it otherwise.
static inline void wsx_readline_bind_paste(rl_command_func_t *command) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (int index = 0; index < 3; index++) {
        rl_command_func_t *present = rl_function_of_keyseq("\033[200~", maps[index], NULL);
        if (present == rl_bracketed_paste_begin || (present == NULL && maps[index] == vi_movement_keymap))
            rl_bind_keyseq_in_map("\033[200~", command, maps[index]);
    }
}

// Prepares an empty line at the end of the history.
static inline void wsx_readline_reset_line(void) {
    rl_free_undo_list();
    // Also discards the line that was being edited before moving up the history.
    rl_initialize();
    if (rl_editing_mode == 0) rl_vi_insertion_mode(1, 'i');
}

// Whether a search, a numeric argument, or a key sequence is in progress, even if the line is empty.
static inline int wsx_readline_is_busy(void) {
    return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY | RL_STATE_VIMOTION) != 0;
}

// Uses the character set of the user's locale if it is UTF-8, otherwise C.UTF-8. Also sets LC_ALL, because readline
// sets the locale from the environment again.
static inline void wsx_readline_set_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
    setenv("LC_ALL", "C.UTF-8", 1);
    setlocale(LC_CTYPE, "");
}

// Binds the Tab key, unless the user has bound it to something else.
static inline void wsx_readline_bind_tab(rl_command_func_t *command) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
    for (int index = 0; index < 2; index++) {
        rl_command_func_t *present = rl_function_of_keyseq("\t", maps[index], NULL);
        if (present == rl_complete || present == rl_insert) rl_bind_key_in_map('\t', command, maps[index]);
    }
}

// Binds the keys that open an editor in bash and other programs, unless they are already bound.
static inline void wsx_readline_bind_editor(rl_command_func_t *command) {
    rl_bind_keyseq_if_unbound_in_map("\\C-x\\C-e", command, emacs_standard_keymap);
    rl_bind_keyseq_if_unbound_in_map("v", command, vi_movement_keymap);
}

// Binds Ctrl-F, unless the user has bound it to something else.
static inline void wsx_readline_bind_search(rl_command_func_t *command) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (int index = 0; index < 3; index++) {
        rl_command_func_t *present = maps[index][CTRL('F')].function;
        if (maps[index][CTRL('F')].type != ISFUNC) continue;
        if (present == rl_forward_char || present == rl_insert || present == NULL)
            rl_bind_key_in_map(CTRL('F'), command, maps[index]);
    }
}

// Sets the completer and lister for all completion keys. Disables readline's question before a long list and its pager:
// both would block the event loop.
static inline void wsx_readline_set_completion(
    rl_completion_func_t *complete, rl_compdisp_func_t *display) {
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = display;
    rl_completer_word_break_characters = " \t\n\"'`{}[](),;=<>|&!?*+%^~#@$\\";
    rl_completion_query_items = 0;
    rl_variable_bind("page-completions", "off");
}

// Disables readline's default completion after ours.
static inline void wsx_readline_end_completion(void) {
    rl_attempted_completion_over = 1;
    rl_completion_append_character = '\0';
}

static inline int wsx_readline_point(void) { return rl_point; }

// Replaces part of the line as a single undoable change, and moves the cursor after it.
static inline void wsx_readline_replace(int start, int end, const char *text) {
    rl_begin_undo_group();
    rl_delete_text(start, end);
    rl_point = start;
    rl_insert_text(text);
    rl_end_undo_group();
}

static inline void wsx_readline_move_to_end(void) { rl_point = rl_end; }

static inline void wsx_readline_set_redisplay(rl_voidfunc_t *redisplay) { rl_redisplay_function = redisplay; }

// The number of columns of a character, negative for control characters. <wchar.h> declares POSIX's wcwidth() only with
// certain feature macros.
extern int wcwidth(wchar_t character);
static inline int wsx_character_width(unsigned character) { return wcwidth((wchar_t)character); }

// The displayed prompt, which is readline's own during a search.
static inline const char *wsx_readline_prompt(void) { return rl_display_prompt; }

// Draws `text` instead of the line.
static inline void wsx_readline_redisplay_as(char *text, int byte_count, int point) {
    char *line = rl_line_buffer;
    int line_end = rl_end, line_point = rl_point, line_mark = rl_mark;
    rl_deactivate_mark();
    rl_line_buffer = text;
    rl_end = byte_count;
    rl_point = point;
    rl_mark = 0;
    rl_redisplay();
    rl_line_buffer = line;
    rl_end = line_end;
    rl_point = line_point;
    rl_mark = line_mark;
}

// Forgets the end of the input. Returns whether readline has begun a new row because of it.
static inline int wsx_readline_forget_end(void) {
    const char *paste = rl_variable_value("enable-bracketed-paste");
    int has_begun_row = rl_eof_found && paste && strcmp(paste, "on") == 0;
    rl_eof_found = 0;
    return has_begun_row;
}

static inline int wsx_readline_screen_descriptor(void) { return fileno(rl_outstream); }

#endif
