"""A package that needs what is not there."""

import no_such_module_of_acme  # noqa: F401
