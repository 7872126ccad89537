"""The Chinese catalogue: English text to Chinese text, by the part of the house that says it."""

TEXTS: dict[str, str] = {
    # documents
    # store
    # bindings, router, filters
    # plugins, registry
    # gateway, dispatcher, orchestrator
    # what users of a bot read
    # commands
    # http
}
