"""The frozen types that flow between the parts; imports nothing of ours but itself."""
