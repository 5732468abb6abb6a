"""The web application of a blind review: reviewers' pages, the owner's board, the result."""
