"""Planning and executing trials: one owner of concurrency, retries, budget and storage."""
