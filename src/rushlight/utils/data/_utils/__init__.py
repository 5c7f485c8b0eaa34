"""The parts of the loader: collating, fetching, worker processes, and what passes between them."""
