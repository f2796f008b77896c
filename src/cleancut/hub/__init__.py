"""Metrics, plans and the app as repositories of the Hub.

This is the only room that writes to the network, and it does so only when it is asked to push.
"""
