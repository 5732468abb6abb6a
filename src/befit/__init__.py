"""Choose the model that befits the task, by evidence."""
