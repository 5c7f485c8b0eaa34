"""From and to other representations: dtypes, NumPy, Python numbers, DLPack, pickles."""
