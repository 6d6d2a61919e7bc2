"""Does the app get into several workspaces, each with its own tokens, fresh and sealed?"""
