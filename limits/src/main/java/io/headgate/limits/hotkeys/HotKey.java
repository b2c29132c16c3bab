package io.headgate.limits.hotkeys;

import java.util.List;

/**
 * A key that is requested or denied often.
 *
 * @param rule the rule that counts by it
 * @param ids the values of the rule's dimensions in their order; a value of more than 128 characters is replaced by its hash, and so
 *     is a value with half of a surrogate pair that was read from Redis; empty for a rule without dimensions
 * @param count the highest possible count
 * @param error the error bound: the true count is between {@code count - error} and {@code count}
 */
public record HotKey(String rule, List<String> ids, long count, long error) {

    /** Copies the ids. */
    public HotKey {
        ids = List.copyOf(ids);
    }
}
