"""Questions about a file, one module each: ``propose(draft, answers)`` and ``apply``."""
