"""The version of the program, as the package, events and exports carry it."""

VERSION = "0.1.0"
