package io.headgate.http.attributes;

import java.util.Optional;

/**
 * The result of a {@link ValueResolver}: a value, or the reason why there is none. An absent value is not an error; the caller decides
 * whether to count by another attribute, to skip the rule, or to deny the request.
 */
public sealed interface ResolvedValue {

    /**
     * The most characters of a value. A longer value is {@linkplain Reason#TOO_LONG absent}. Engines hash ids of more than 128 characters.
     */
    int MAX_LENGTH = 32_768;

    /** Why a request has no value. */
    enum Reason {
        /** The request does not contain the value, or the value is empty. */
        MISSING,
        /** The request contains several values, so it is not clear which one counts. */
        REPEATED,
        /** The value is malformed, for example not UTF-8 after percent-decoding. */
        MALFORMED,
        /** The value has more than {@value ResolvedValue#MAX_LENGTH} characters. */
        TOO_LONG
    }

    /**
     * A value that the request has.
     *
     * @param value 1 to {@value ResolvedValue#MAX_LENGTH} characters
     */
    record Present(String value) implements ResolvedValue {

        /**
         * Checks the length.
         *
         * @throws IllegalArgumentException if the value is empty or too long
         */
        public Present {
            if (value.isEmpty() || value.length() > MAX_LENGTH) {
                throw new IllegalArgumentException(
                        "value must have 1 to " + MAX_LENGTH + " characters, but has " + value.length());
            }
        }
    }

    /**
     * The absence of a value.
     *
     * @param detail the source of the value and the reason, for example {@code header field X-User is missing}; never a part of the
     *     request
     */
    record Absent(Reason reason, String detail) implements ResolvedValue {}

    /**
     * Returns the value as present if it has 1 to {@value #MAX_LENGTH} characters, otherwise as absent. Never throws.
     *
     * @param source where the value comes from, for example {@code header field X-User}
     */
    static ResolvedValue of(String source, String value) {
        if (value.isEmpty()) {
            return missing(source);
        }
        return value.length() > MAX_LENGTH
                ? new Absent(Reason.TOO_LONG, source + " has more than " + MAX_LENGTH + " characters")
                : new Present(value);
    }

    /**
     * Returns an absent value for a request that does not contain it.
     *
     * @param source where the value would come from, for example {@code header field X-User}
     */
    static ResolvedValue missing(String source) {
        return new Absent(Reason.MISSING, source + " is missing");
    }

    /**
     * Returns an absent value for a request that contains it several times.
     *
     * @param source where the values come from, for example {@code header field X-User}
     * @param times how often the request contains it
     */
    static ResolvedValue repeated(String source, int times) {
        return new Absent(Reason.REPEATED, source + " is given " + times + " times; give it once");
    }

    /**
     * Returns an absent value for a request whose value is not valid.
     *
     * @param source where the value comes from, for example {@code header field X-User}
     * @param expected what it is not, for example {@code UTF-8}
     */
    static ResolvedValue malformed(String source, String expected) {
        return new Absent(Reason.MALFORMED, source + " is not " + expected);
    }

    /** Returns the value; empty if it is absent. */
    default Optional<String> toOptional() {
        return this instanceof Present present ? Optional.of(present.value()) : Optional.empty();
    }
}
