"""Reading and writing other people's formats, one file per format. This file defines nothing."""
