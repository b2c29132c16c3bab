package io.headgate.redis.internal.script;

/** How long a call of a script and its reply are on the wire, in bytes, as the protocol of Redis writes them. */
public final class RespSize {

    private static final int LINE_END = 2;
    private static final int SHA1_IN_HEX = 40;

    private RespSize() {}

    /** An EVALSHA without its keys and arguments, but with their number. */
    public static int evalsha(int keys, int arguments) {
        return array(3 + keys + arguments) + bulk("EVALSHA".length()) + bulk(SHA1_IN_HEX) + bulk(digits(keys));
    }

    /** A string of so many bytes: a dollar sign, its length, and the bytes, each with the end of a line. */
    public static int bulk(int length) {
        return 1 + digits(length) + LINE_END + length + LINE_END;
    }

    private static int array(int elements) {
        return 1 + digits(elements) + LINE_END;
    }

    private static int digits(int number) {
        return Integer.toString(number).length();
    }
}
