"""The Gradio app: its page and how it is served, its jobs, the sandbox that they run in, and the lesson.

It computes nothing that the rooms before it do not, and it never publishes.
"""
