package io.headgate.queues.inspect;

import java.util.List;
import java.util.Optional;

/**
 * One page of a list that is read page by page.
 *
 * @param items the items of the page
 * @param next the start of the next page; empty on the last page
 * @param <E> the type of the items
 */
public record Page<E>(List<E> items, Optional<Cursor> next) {

    /** Keeps a copy of the items. */
    public Page {
        items = List.copyOf(items);
    }
}
