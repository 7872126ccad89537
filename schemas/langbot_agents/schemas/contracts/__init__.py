"""The standard event types: what each of them carries."""
