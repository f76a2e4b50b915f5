"""Reading image sets from files that nobody has vouched for.

`reading` is the way in; `door` starts the one process that parses, in which run one module a
format, named in `foreign.FORMATS`, and those that guess.
"""
