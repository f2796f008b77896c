"""Turn results into text, HTML and pictures.

Every number comes from the rooms before this one, which decides how a result looks, not what it is.
"""
