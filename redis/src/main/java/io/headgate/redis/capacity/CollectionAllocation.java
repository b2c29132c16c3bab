package io.headgate.redis.capacity;

import java.util.List;

/**
 * The bytes that Redis 6.2 to 8.0 allocates for lists, sorted sets and hashes, with jemalloc and default settings, without their
 * keys.
 *
 * <ul>
 *   <li>Small collections are one listpack: a sorted set of up to 128 members and a hash of up to 512 fields, of up to
 *       64 bytes each. A list is a chain of listpacks of up to 8 KiB, or of one element that is larger.
 *   <li>Beyond that, each member of a sorted set is a string, a node of a skip list with 16 bytes for each of its levels (of
 *       which every fourth node of a level has one more), and an entry of a dictionary; a field of a hash is two strings and
 *       an entry.
 * </ul>
 *
 * @param sizes the sizes of the allocator
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
    /** A score of more than 32 bits in a listpack. */
    private static final int SMALL_SCORE = 10;

    private static final int LIST = 40;
    private static final int LIST_NODE = 40;
    private static final int MAX_LIST_NODE = 8192;
    /** The bytes that Redis assumes for an element that it adds, beside its own. */
    private static final int LIST_ESTIMATE = 8;

    private static final int SORTED_SET = 16;
    private static final int SKIP_LIST = 32;
    private static final int SKIP_NODE = 24;
    private static final int SKIP_LEVEL = 16;
    private static final int MAX_LEVELS = 32;

    /**
     * Members of a sorted set, or fields of a hash, of the same size.
     *
     * @param count their mean number
     * @param bytes the bytes of each
     * @param valueBytes the bytes of each field's value; 0 for members
     */
    record Alike(double count, long bytes, long valueBytes) {

        /** Members of the same length. */
        public static Alike members(double count, long bytes) {
            return new Alike(count, bytes, 0);
        }
    }

    /** A list whose elements have these lengths in turn. */
    double list(double elements, List<Integer> lengths) {
        if (elements <= 0) {
            return 0;
        }
        // Chunks are alike, so some hundred of them stand for all.
        long followed = Math.min((long) Math.ceil(elements), Math.max(2000, 40L * lengths.size()));
        long bytes = 0;
        long chunk = LISTPACK_ENDS;
        for (int i = 0; i < followed; i++) {
            int length = lengths.get(i % lengths.size());
            if (chunk > LISTPACK_ENDS && chunk + length + LIST_ESTIMATE > MAX_LIST_NODE) {
                bytes += chunk(chunk);
                chunk = LISTPACK_ENDS;
            }
            chunk += inListpack(length);
        }
        bytes += chunk(chunk);
        return OBJECT + sizes.rounded(LIST) + bytes * (elements / followed);
    }

    private long chunk(long bytes) {
        return sizes.rounded(LIST_NODE) + sizes.rounded(bytes);
    }

    /** A sorted set. */
    double sortedSet(List<Alike> members) {
        double count = count(members);
        if (count <= 0) {
            return 0;
        }
        if (isSmall(members, MAX_SMALL_MEMBERS)) {
            double bytes = members.stream()
                    .mapToDouble(alike -> alike.count * (inListpack(alike.bytes) + SMALL_SCORE))
                    .sum();
            return OBJECT + sizes.rounded(LISTPACK_ENDS + Math.round(bytes));
        }
        return largeSortedSet(members, count);
    }

    /** A sorted set that is, or was since it was empty, too large for a listpack; with the most members that it ever had. */
    double largeSortedSet(List<Alike> members, double most) {
        double each = skipNode() + sizes.rounded(ENTRY);
        double strings = members.stream()
                .mapToDouble(alike -> alike.count * (each + sizes.string(alike.bytes)))
                .sum();
        return OBJECT
                + SORTED_SET
                + SKIP_LIST
                + sizes.rounded(SKIP_NODE + MAX_LEVELS * SKIP_LEVEL)
                + sizes.rounded(DICTIONARY)
                + sizes.table(most)
                + strings;
    }

    /** A hash. */
    double hash(List<Alike> fields) {
        double count = count(fields);
        if (count <= 0) {
            return 0;
        }
        if (isSmall(fields, MAX_SMALL_FIELDS)) {
            double bytes = fields.stream()
                    .mapToDouble(alike -> alike.count * (inListpack(alike.bytes) + inListpack(alike.valueBytes)))
                    .sum();
            return OBJECT + sizes.rounded(LISTPACK_ENDS + Math.round(bytes));
        }
        double entries = fields.stream()
                .mapToDouble(alike -> alike.count
                        * (sizes.rounded(ENTRY) + sizes.string(alike.bytes) + sizes.string(alike.valueBytes)))
                .sum();
        return OBJECT + sizes.rounded(DICTIONARY) + sizes.table(count) + entries;
    }

    /** A set of one member, which is a table even if it is small. */
    long set(int length) {
        return OBJECT + sizes.rounded(DICTIONARY) + sizes.table(1) + sizes.rounded(ENTRY) + sizes.string(length);
    }

    private static double count(List<Alike> some) {
        return some.stream().mapToDouble(Alike::count).sum();
    }

    private static boolean isSmall(List<Alike> some, int most) {
        return count(some) <= most
                && some.stream()
                        .filter(alike -> alike.count > 0)
                        .allMatch(alike -> Math.max(alike.bytes, alike.valueBytes) <= MAX_SMALL_BYTES);
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

    /** A string in a listpack: its length, its bytes, and the length of both. */
    private static long inListpack(long length) {
        long forward = (length < 64 ? 1 : length < 4096 ? 2 : 5) + length;
        long backward = forward < 128 ? 1 : forward < 16_384 ? 2 : forward < 2_097_152 ? 3 : 4;
        return forward + backward;
    }
}
