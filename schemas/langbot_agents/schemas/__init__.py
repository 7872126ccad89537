"""Every model that crosses a boundary."""
