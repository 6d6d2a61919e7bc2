"""What is left after everything was killed at some moment? `hivebot bench chaos`."""
