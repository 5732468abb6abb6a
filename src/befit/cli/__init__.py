"""Parse, call, print. No thinking; everything here can be done from Python."""
