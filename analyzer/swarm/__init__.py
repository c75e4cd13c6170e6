"""The subscribers and the paced writer: what stands in for a game's players."""
