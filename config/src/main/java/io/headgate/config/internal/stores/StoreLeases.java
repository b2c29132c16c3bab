package io.headgate.config.internal.stores;

import java.util.Map;

/**
 * Leases of a store: it deletes a key with a lease that its owner has not extended for some time. Each operation throws a {@link
 * StoreFailure}, whose kind is {@code NO_LEASE} if the lease has expired.
 */
public interface StoreLeases {

    /** The most bytes of all texts that are read at once. */
    int MAX_BYTES = 8 << 20;

    /** Requests a lease, and returns its id. */
    String grant();

    /** Extends a lease. */
    void extend(String lease);

    /**
     * Writes a text of this instance, which the store deletes with the lease.
     *
     * @param prefix that of the key, such as {@link StoreKeys#instances}
     */
    void put(String lease, String prefix, String text);

    /** Ends a lease. Waits for a short time only. */
    void revoke(String lease);

    /**
     * Returns the texts of all instances by the rest of their keys, which identifies the instance; up to 10 000, and up to {@value #MAX_BYTES}
     * bytes.
     *
     * @param maxBytes the most bytes of one text
     */
    Map<String, String> texts(String prefix, int maxBytes);
}
