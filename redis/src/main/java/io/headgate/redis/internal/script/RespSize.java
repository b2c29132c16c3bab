package io.headgate.redis.internal.script;

/** The size in bytes of script calls and replies on the wire, in the Redis protocol RESP. */
public final class RespSize {

    private static final int LINE_END = 2;
    private static final int SHA1_IN_HEX = 40;

    private RespSize() {}

    /** The size of an EVALSHA without its keys and arguments, but with their number. */
    public static int evalsha(int keys, int arguments) {
        return array(3 + keys + arguments) + bulk("EVALSHA".length()) + bulk(SHA1_IN_HEX) + bulk(digits(keys));
    }

    /**
     * The size of a bulk string of this length: a dollar sign, the length and the bytes, each part terminated by CRLF.
     */
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
