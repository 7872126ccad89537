"""A package whose import never ends."""

import time

while True:
    time.sleep(0.05)
