"""Results go in; text, HTML and pictures come out.

Every number comes from the rooms before it: this one decides how a result looks, not what it is.
"""
