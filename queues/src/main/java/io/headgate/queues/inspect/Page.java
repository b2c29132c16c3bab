package io.headgate.queues.inspect;

import java.util.List;
import java.util.Optional;

/**
 * Some of many, and where it goes on.
 *
 * @param items what is on the page
 * @param next where the next page begins; empty on the last one
 * @param <E> what they are
 */
public record Page<E>(List<E> items, Optional<Cursor> next) {

    /** Keeps a copy of the items. */
    public Page {
        items = List.copyOf(items);
    }
}
