package io.headgate.limits.hotkeys;

import java.util.List;

/**
 * A key that is asked or denied often.
 *
 * @param rule the rule that counts by it
 * @param ids the values of the rule's dimensions in their order; a value of more than 128 characters is replaced by its hash, and so
 *     is a value with half of a surrogate pair that was read from Redis; empty for a rule without dimensions
 * @param count how often, at most
 * @param error by how much the count may be too high: it was from {@code count - error} to {@code count}
 */
public record HotKey(String rule, List<String> ids, long count, long error) {

    /** Copies the ids. */
    public HotKey {
        ids = List.copyOf(ids);
    }
}
