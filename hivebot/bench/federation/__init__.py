"""What do several desks decide together, and what does crossing between them add?"""
