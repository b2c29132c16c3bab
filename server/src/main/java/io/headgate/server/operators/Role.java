package io.headgate.server.operators;

import io.headgate.server.text.Words;
import java.util.Arrays;
import java.util.Optional;

/** What an operator may do over HTTP. Each role includes the ones before it. */
public enum Role {
    /** Reads hot keys, policies, bans and queues, and jobs without payloads and headers. */
    VIEW,
    /** Reads payloads, and changes queues and bans. */
    OPERATE,
    /** Changes policies, and makes changes that cannot be undone, such as purging a queue. */
    ADMIN;

    /** All names, for errors. */
    static final String EXPECTED = "view, operate or admin";

    /** Returns whether an operator with this role may do what needs the other one. */
    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }

    /** Finds a role by its name in lower case. */
    static Optional<Role> named(String name) {
        return Arrays.stream(values())
                .filter(role -> role.toString().equals(name))
                .findFirst();
    }

    /** The name in lower case. */
    @Override
    public String toString() {
        return Words.lower(this);
    }
}
