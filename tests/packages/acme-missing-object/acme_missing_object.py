"""A package whose entry point names nothing."""
