"""How accurate is the proxy? The registered experiment, as pure functions over decision streams."""
