"""The contests, by topic. Each module has a function `contests()`, which yields them one at a time, because a contest may
depend on files that exist only while it runs. A module may also have a function `tables()`, which yields more tables as
Markdown.
"""
