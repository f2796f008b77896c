"""Samples as arrays: tags, words, mentions, corpora, and what counts as the same entity.

It needs numpy alone and knows no file format; every other room builds on it.
"""
