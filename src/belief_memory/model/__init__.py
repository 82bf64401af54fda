"""What a belief is. Pure: no clock, no files, no text rules."""
