package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Encodes invalidations as the text of one published message: the sender, then each invalidation. An invalidation has the stem of the
 * rule's keys, the number of permits, the number of ids and the ids; one of a whole rule has the stem and 0. A string is written as its
 * length, a colon and its characters, a number with a space after it: {@code 4:7f3a19:hg:sw:api:per-user:1 1 5:alice}.
 */
final class InvalidationCodec {

    /** The longest message in characters: a hundred ids or more of the usual length, a few of the longest. */
    static final int MAX_LENGTH = 8192;

    private static final String RULE_CHANGED = "0 ";

    private final String text;
    private int position;

    private InvalidationCodec(String text) {
        this.text = text;
    }

    /** Encodes as many invalidations as fit into one message, and removes these from the iterator's collection. */
    static String encode(String sender, Iterator<Invalidation> pending) {
        StringBuilder text = new StringBuilder();
        append(text, sender);
        int emptyLength = text.length();
        while (pending.hasNext()) {
            int before = text.length();
            append(text, pending.next());
            if (text.length() > MAX_LENGTH && before > emptyLength) {
                text.setLength(before);
                break;
            }
            pending.remove();
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Invalidation invalidation) {
        append(text, invalidation.stem());
        if (invalidation instanceof Invalidation.OfIds ofIds) {
            text.append(ofIds.permits()).append(' ');
            text.append(ofIds.ids().size()).append(' ');
            ofIds.ids().forEach(id -> append(text, id));
        } else {
            text.append(RULE_CHANGED);
        }
    }

    private static void append(StringBuilder text, String string) {
        text.append(string.length()).append(':').append(string);
    }

    /**
     * Decodes a message. Returns an empty list if the reader itself has sent it, or if it is malformed: any client may publish any text
     * to the channel.
     */
    static List<Invalidation> decode(String text, String reader) {
        if (text.length() > MAX_LENGTH) {
            return List.of();
        }
        try {
            InvalidationCodec message = new InvalidationCodec(text);
            return message.string().equals(reader) ? List.of() : message.invalidations();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return List.of();
        }
    }

    private List<Invalidation> invalidations() {
        List<Invalidation> invalidations = new ArrayList<>();
        while (position < text.length()) {
            String stem = string();
            long permits = number(' ');
            invalidations.add(
                    permits == 0 ? new Invalidation.OfRule(stem) : new Invalidation.OfIds(stem, ids(), permits));
        }
        return invalidations;
    }

    private List<String> ids() {
        long count = number(' ');
        if (count > Bounds.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(count + " ids");
        }
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String id = string();
            // No instance sends a longer id, and no request has an empty one.
            if (id.isEmpty() || id.length() > BoundedId.MAX_LENGTH) {
                throw new IllegalArgumentException("an id of " + id.length() + " characters");
            }
            ids.add(id);
        }
        return List.copyOf(ids);
    }

    private String string() {
        int length = Math.toIntExact(Math.min(number(':'), MAX_LENGTH));
        position += length;
        return text.substring(position - length, position);
    }

    private long number(char end) {
        int from = position;
        position = text.indexOf(end, from) + 1;
        // Without the end character the substring is empty or out of bounds, and either fails here.
        long number = Long.parseLong(text.substring(from, position - 1));
        if (number < 0) {
            throw new IllegalArgumentException("a negative number: " + number);
        }
        return number;
    }
}
