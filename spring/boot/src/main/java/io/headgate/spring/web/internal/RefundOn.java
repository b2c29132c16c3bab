package io.headgate.spring.web.internal;

import java.util.BitSet;
import java.util.List;

/** The outcomes of a request whose permits are refunded. Immutable. */
final class RefundOn {

    /** The text for requests in which Spring Security authenticated the user, and whose response is no error. */
    static final String AUTHENTICATED = "authenticated";

    private static final int FIRST_STATUS = 100;
    private static final int LAST_STATUS = 599;
    private static final int CLASS_SIZE = 100;
    private static final int FIRST_ERROR = 400;

    private final BitSet statuses;
    private final boolean authenticated;

    private RefundOn(BitSet statuses, boolean authenticated) {
        this.statuses = statuses;
        this.authenticated = authenticated;
    }

    /**
     * Parses statuses such as {@code 404}, classes such as {@code 5xx}, and {@code authenticated}.
     *
     * @throws IllegalArgumentException if a text is none of these
     */
    static RefundOn parse(List<String> texts) {
        BitSet statuses = new BitSet();
        boolean authenticated = false;
        for (String text : texts) {
            if (text.equals(AUTHENTICATED)) {
                authenticated = true;
            } else if (text.matches("[1-5](xx|XX)")) {
                int first = (text.charAt(0) - '0') * CLASS_SIZE;
                statuses.set(first, first + CLASS_SIZE);
            } else if (text.matches("[1-5][0-9]{2}")) {
                statuses.set(Integer.parseInt(text));
            } else {
                throw new IllegalArgumentException("must be a status from " + FIRST_STATUS + " to " + LAST_STATUS
                        + ", a class such as 5xx, or " + AUTHENTICATED + ", but was " + text);
            }
        }
        return new RefundOn(statuses, authenticated);
    }

    /** Whether no outcome is refunded. */
    boolean isEmpty() {
        return statuses.isEmpty() && !authenticated;
    }

    /** Whether it depends on the authentication. */
    boolean needsAuthentication() {
        return authenticated;
    }

    /**
     * Whether this outcome is refunded. An authenticated user is not refunded for an error: otherwise, a client could guess one-time codes
     * without limit by adding valid credentials of its own.
     */
    boolean matches(Outcome outcome) {
        return statuses.get(outcome.status())
                || (authenticated && outcome.authenticated() && outcome.status() < FIRST_ERROR);
    }
}
