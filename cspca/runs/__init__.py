"""Background work: the job registry and the jobs it runs."""
