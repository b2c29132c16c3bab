package io.headgate.limits.hotkeys;

import java.util.List;

/**
 * A key that is requested or denied often.
 *
 * @param rule the name of the rule that counts by the key
 * @param ids the values of the rule's dimensions in their order; empty for a rule without dimensions. A value of more than 128
 *     characters, or one that starts with {@code ~}, is replaced by its hash; keys that were read from Redis also have the hash of a
 *     value with an unpaired surrogate
 * @param count the estimated count, which is never too low if all decisions were counted
 * @param error the error bound: the true count is between {@code count - error} and {@code count}. If decisions were sampled, {@link
 *     TopKeys} describes the additional deviation
 */
public record HotKey(String rule, List<String> ids, long count, long error) {

    /** Copies the ids. */
    public HotKey {
        ids = List.copyOf(ids);
    }
}
