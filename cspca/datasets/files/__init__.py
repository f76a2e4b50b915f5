"""Reading image sets from files that nobody has vouched for.

`reading` is the way in; `door` starts the one process that parses, in which run one module a
format and those that guess. A new format is one module with a function
``read(content, choices, watch)`` and one line of `foreign.FORMATS`.
"""
