package io.headgate.redis.capacity;

import java.util.List;

/**
 * The bytes that Redis 6.2 to 8.0 allocates for lists, sorted sets and hashes, with jemalloc and default settings, without their
 * keys.
 *
 * <ul>
 *   <li>Small collections are one listpack: a sorted set of up to 128 members and a hash of up to 512 fields, of up to
 *       64 bytes each. A list is a chain of listpacks of up to 8 KiB, or of one element that is larger.
 *   <li>In a larger sorted set, each member is a string, a skip list node and a dictionary entry. A node has 16 bytes for each of
 *       its levels; every fourth node of a level also has the next level.
 *   <li>In a larger hash, each field is two strings and a dictionary entry.
 * </ul>
 *
 * @param sizes the size classes of the allocator
 */
record CollectionAllocation(RedisAllocation sizes) {

    private static final int OBJECT = 16;
    private static final int ENTRY = 24;
    private static final int DICTIONARY = 56;

    private static final int LISTPACK_ENDS = 7;
    /** The most members of a small sorted set. */
    static final int MAX_SMALL_MEMBERS = 128;

    private static final int MAX_SMALL_FIELDS = 512;
    private static final int MAX_SMALL_BYTES = 64;
    /** The bytes of a score of more than 32 bits in a listpack. */
    private static final int SMALL_SCORE = 10;

    private static final int LIST = 40;
    private static final int LIST_NODE = 40;
    private static final int MAX_LIST_NODE = 8192;
    /** The overhead in bytes that Redis assumes for a new element when it checks whether a listpack has room for it. */
    private static final int LIST_ESTIMATE = 8;

    private static final int SORTED_SET = 16;
    private static final int SKIP_LIST = 32;
    private static final int SKIP_NODE = 24;
    private static final int SKIP_LEVEL = 16;
    private static final int MAX_LEVELS = 32;

    /**
     * Entries of the same size: members of a sorted set, or fields of a hash.
     *
     * @param count the mean number of entries
     * @param bytes the bytes of each member, or of each field's name
     * @param valueBytes the bytes of each field's value; 0 for members
     */
    record Entries(double count, long bytes, long valueBytes) {

        /** Members of a sorted set that have the same length. */
        public static Entries members(double count, long bytes) {
            return new Entries(count, bytes, 0);
        }
    }

    /** The bytes of a list whose elements have these lengths, which repeat in this order. */
    double list(double elements, List<Integer> lengths) {
        if (elements <= 0) {
            return 0;
        }
        // The lengths repeat, so a few thousand elements represent the whole list.
        long sampled = Math.min((long) Math.ceil(elements), Math.max(2000, 40L * lengths.size()));
        long bytes = 0;
        long chunk = LISTPACK_ENDS;
        for (int i = 0; i < sampled; i++) {
            int length = lengths.get(i % lengths.size());
            if (chunk > LISTPACK_ENDS && chunk + length + LIST_ESTIMATE > MAX_LIST_NODE) {
                bytes += chunk(chunk);
                chunk = LISTPACK_ENDS;
            }
            chunk += inListpack(length);
        }
        bytes += chunk(chunk);
        return OBJECT + sizes.rounded(LIST) + bytes * (elements / sampled);
    }

    private long chunk(long bytes) {
        return sizes.rounded(LIST_NODE) + sizes.rounded(bytes);
    }

    /** The bytes of a sorted set. */
    double sortedSet(List<Entries> members) {
        double count = count(members);
        if (count <= 0) {
            return 0;
        }
        if (isSmall(members, MAX_SMALL_MEMBERS)) {
            double bytes = members.stream()
                    .mapToDouble(group -> group.count * (inListpack(group.bytes) + SMALL_SCORE))
                    .sum();
            return OBJECT + sizes.rounded(LISTPACK_ENDS + Math.round(bytes));
        }
        return largeSortedSet(members, count);
    }

    /**
     * The bytes of a sorted set that has had too many members for a listpack; it keeps the large encoding until it is empty.
     *
     * @param most the most members that it has had, which determine the size of its table
     */
    double largeSortedSet(List<Entries> members, double most) {
        double each = skipNode() + sizes.rounded(ENTRY);
        double strings = members.stream()
                .mapToDouble(group -> group.count * (each + sizes.string(group.bytes)))
                .sum();
        return OBJECT
                + SORTED_SET
                + SKIP_LIST
                + sizes.rounded(SKIP_NODE + MAX_LEVELS * SKIP_LEVEL)
                + sizes.rounded(DICTIONARY)
                + sizes.table(most)
                + strings;
    }

    /** The bytes of a hash. */
    double hash(List<Entries> fields) {
        double count = count(fields);
        if (count <= 0) {
            return 0;
        }
        if (isSmall(fields, MAX_SMALL_FIELDS)) {
            double bytes = fields.stream()
                    .mapToDouble(group -> group.count * (inListpack(group.bytes) + inListpack(group.valueBytes)))
                    .sum();
            return OBJECT + sizes.rounded(LISTPACK_ENDS + Math.round(bytes));
        }
        double entries = fields.stream()
                .mapToDouble(group -> group.count
                        * (sizes.rounded(ENTRY) + sizes.string(group.bytes) + sizes.string(group.valueBytes)))
                .sum();
        return OBJECT + sizes.rounded(DICTIONARY) + sizes.table(count) + entries;
    }

    private static double count(List<Entries> some) {
        return some.stream().mapToDouble(Entries::count).sum();
    }

    private static boolean isSmall(List<Entries> some, int most) {
        return count(some) <= most
                && some.stream()
                        .filter(group -> group.count > 0)
                        .allMatch(group -> Math.max(group.bytes, group.valueBytes) <= MAX_SMALL_BYTES);
    }

    private double skipNode() {
        double bytes = 0;
        double share = 0.75;
        for (int levels = 1; levels <= MAX_LEVELS; levels++) {
            bytes += share * sizes.rounded(SKIP_NODE + (long) levels * SKIP_LEVEL);
            share /= 4;
        }
        return bytes;
    }

    /** The bytes of a string in a listpack: its length, its bytes, and the total length of both. */
    private static long inListpack(long length) {
        long forward = (length < 64 ? 1 : length < 4096 ? 2 : 5) + length;
        long backward = forward < 128 ? 1 : forward < 16_384 ? 2 : forward < 2_097_152 ? 3 : 4;
        return forward + backward;
    }
}
