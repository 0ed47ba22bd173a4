"""The faults of services that deliver each message to many readers."""

import re

# Of each hundred messages that one publisher sends, in total for all readers.
FAULTS = {"lost": 20, "duplicated": 10, "reordered": 25}


class Deliveries:
    """Loses every fifth message for one reader, repeats every tenth for another, and swaps two of four for a third.

    All others get each message once. The number of a message is that in its marker, so any hundred messages in a row
    have the same faults."""

    def __init__(self):
        self._readers = {}
        self._held = None

    def copies(self, reader, message):
        """What to deliver to a reader instead of a message: the messages before it, itself, and its copies."""
        marker = re.search(rb"[0-9a-f]{48}", message if isinstance(message, bytes) else message.encode()).group()
        number = int(marker[8:16], 16)
        index = self._readers.setdefault(reader, len(self._readers))
        if index == 0 and number % 5 == 2:
            return []
        if index == 1 and number % 10 == 2:
            return [message, message]
        if index == 2 and number % 4 == 1:
            self._held = message
            return []
        if index == 2 and number % 4 == 2 and self._held is not None:
            held, self._held = self._held, None
            return [message, held]
        return [message]
