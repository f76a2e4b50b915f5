"""Row blocks on the workers of a Dask cluster. Needs the extra ``dask``."""
