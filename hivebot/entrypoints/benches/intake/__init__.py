"""How many events can be taken in, and how fast?"""
