"""What may be done in the workspace, by the app and by people, and what follows from it?"""

from hivebot.sandbox.workspace.core import Call, Emission, ResponseUrl, Trigger, Workspace

__all__ = ["Call", "Emission", "ResponseUrl", "Trigger", "Workspace"]
