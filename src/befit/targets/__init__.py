"""What answers a request: remote endpoints, local models, Python functions, recorded answers."""
