"""The web shell every befit page stands in: security headers, sign-in links, forms, layout."""
