"""The demo of ``cleancut demo``: generated text, two small taggers, a random split and a clean one.

Within the package, only the command line imports from here.
"""
